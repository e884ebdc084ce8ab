#!/usr/bin/env node
// Side-by-side benchmark of LLM gateways. See README.md.
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, closeSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { core, cpu, pssMb, rssMb, tree, used } from './lib/proc.mjs'
import { report } from './lib/report.mjs'

const HERE = path.dirname(fileURLToPath(import.meta.url))
const { values: opt } = parseArgs({ options: {
  targets: { type: 'string', multiple: true, default: [path.join(HERE, 'targets.mjs')] },
  only: { type: 'string' }, rounds: { type: 'string', default: '3' }, seconds: { type: 'string', default: '4' }, conc: { type: 'string', default: '1,16,64,256' },
  phases: { type: 'string', default: 'rps,large,rate,burst,paced' }, rate: { type: 'string', default: '100' }, chunks: { type: 'string', default: '50' }, 'gap-ms': { type: 'string', default: '20' },
  'large-kb': { type: 'string', default: '200' }, baseline: { type: 'string', default: 'node-undici' }, work: { type: 'string', default: path.join(os.tmpdir(), 'gateway-bench') }, out: { type: 'string' },
  'no-pin': { type: 'boolean', default: false }, retries: { type: 'string', default: '2' }, starts: { type: 'string', default: '3' }, append: { type: 'boolean', default: false }, patience: { type: 'string', default: '60' }, quick: { type: 'boolean', default: false }, list: { type: 'boolean', default: false }, check: { type: 'boolean', default: false },
  url: { type: 'string' }, name: { type: 'string', default: 'mine' }, header: { type: 'string', multiple: true, default: [] }, model: { type: 'string', default: 'gpt-4o-mini' }, pid: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false },
} })
if (opt.help) { console.log(readFileSync(path.join(HERE, 'README.md'), 'utf8')); process.exit(0) }
if (opt.quick) for (const [k, v] of Object.entries({ rounds: '1', seconds: '2', conc: '1,64', starts: '1', retries: '0' })) if (!process.argv.some((a) => a === `--${k}` || a.startsWith(`--${k}=`))) opt[k] = v

const WORK = path.resolve(opt.work), OUT = path.resolve(opt.out ?? path.join(WORK, 'out'))
const conc = opt.conc.split(',').map(Number), phases = opt.phases.split(','), seconds = Number(opt.seconds), gapMs = Number(opt['gap-ms']), chunks = Number(opt.chunks)
const UPSTREAM_PORT = 19900
const pinned = !opt['no-pin'] && os.cpus().length >= 2
const GATEWAY_CORE = 0, LOAD_CORE = 1
const pin = (c) => (pinned ? ['taskset', '-c', String(c)] : [])
const sleep = (ms) => new Promise((r) => setTimeout(r, ms))
const log = (s) => process.stderr.write(s + '\n')

// ---------- targets
let targets = []
for (const f of opt.targets) targets.push(...(await import(pathToFileURL(path.resolve(f)).href)).default)
if (opt.url) targets.push({ name: opt.name, url: opt.url, headers: Object.fromEntries(opt.header.map((h) => [h.slice(0, h.indexOf(':')).trim(), h.slice(h.indexOf(':') + 1).trim()])), model: opt.model, pids: opt.pid?.split(',').map(Number) })
if (opt.list) { for (const t of targets) console.log(t.name.padEnd(16), t.about ?? ''); process.exit(0) }
if (opt.only) { const want = opt.only.split(','); targets = targets.filter((t) => want.includes(t.name)); for (const w of want) if (!targets.some((t) => t.name === w)) throw new Error(`no target named ${w}`) }
else targets = targets.filter((t) => !t.optional)

mkdirSync(WORK, { recursive: true }); mkdirSync(OUT, { recursive: true })

// ---------- bodies: ~1 KB of chat, and a long prompt
const text = (n) => 'Summarise the contract below and list every payment date, amount and party. '.repeat(Math.ceil(n / 77)).slice(0, n)
const WIRES = {
  openai: { path: '/v1/chat/completions', answer: (j) => j.choices[0].message.content, key: '"content":', done: '[DONE]',
    body: (model, n, stream = false) => ({ model, messages: [{ role: 'system', content: text(200) }, { role: 'user', content: text(n) }], temperature: 0.2, max_tokens: 256, stream, ...(stream ? { stream_options: { include_usage: true } } : {}) }) },
  anthropic: { path: '/v1/messages', answer: (j) => j.content.find((c) => c.type === 'text').text, key: '"text":', done: 'message_stop',
    body: (model, n, stream = false) => ({ model, system: text(200), messages: [{ role: 'user', content: text(n) }], temperature: 0.2, max_tokens: 256, stream }) },
}
const wire = (t) => WIRES[t.wire ?? 'openai']
const bodyOf = (t, n, stream = false) => ({ ...wire(t).body(t.model ?? opt.model, n, stream), ...(t.body ?? {}) })

// ---------- the mock upstream
async function startMock(port, onCore) {
  let bin = path.join(WORK, 'mock')
  let argv
  try { if (!existsSync(bin)) execFileSync('cc', ['-O2', '-o', bin, path.join(HERE, 'mock/mock.c')], { stdio: 'pipe' }); argv = [bin] } catch { argv = [process.execPath, path.join(HERE, 'mock/mock.mjs')] }
  const p = spawnAt(onCore, argv, ['--port', String(port), '--chunks', String(chunks)], { stdio: 'ignore' })
  await untilOpen(port, 5000)
  return p
}
const mockSet = (port, q) => fetch(`http://127.0.0.1:${port}/__mock?${new URLSearchParams(q)}`, { method: 'POST' }).then((r) => r.json())

function spawnAt(onCore, cmd, args, o = {}) {
  const full = [...pin(onCore), ...cmd, ...args]
  return spawn(full[0], full.slice(1), o)
}
const isOpen = (port) => new Promise((r) => { const s = net.connect(port, '127.0.0.1'); s.once('connect', () => { s.destroy(); r(true) }); s.once('error', () => r(false)) })
async function untilOpen(port, ms) { const end = Date.now() + ms; while (!(await isOpen(port))) { if (Date.now() > end) throw new Error(`nothing listens on ${port} after ${ms} ms`); await sleep(5) } }
const freePort = () => new Promise((r) => { const s = net.createServer().listen(0, '127.0.0.1', () => { const { port } = s.address(); s.close(() => r(port)) }) })

const fill = (v, vars) => (typeof v === 'string' ? v.replace(/\$\{(\w+)\}/g, (all, k) => (k in vars ? String(vars[k]) : all)) : Array.isArray(v) ? v.map((x) => fill(x, vars)) : v && typeof v === 'object' ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, fill(x, vars)])) : v)

// ---------- one target, one round
function install(t, dir) {
  if (!t.install) return
  const stamp = path.join(dir, '.installed'), want = JSON.stringify([t.install, t.installArgs, t.packageJson])
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === want) return
  rmSync(dir, { recursive: true, force: true }); mkdirSync(dir, { recursive: true })
  writeFileSync(path.join(dir, 'package.json'), JSON.stringify({ private: true, ...(t.packageJson ?? {}) }))
  log(`installing ${t.install.join(' ')} for ${t.name}`)
  execFileSync('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...(t.installArgs ?? ['--ignore-scripts']), ...t.install], { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] })
  writeFileSync(stamp, want)
}

// A hook is a command line; the JSON on its last line of output becomes variables.
function hook(h, vars) {
  if (!h) return {}
  const [cmd, ...args] = fill(h, vars)
  const { PORT, BASE, UPSTREAM, WORK, PEER } = vars
  const outText = execFileSync(cmd, args, { env: { ...process.env, PORT, BASE, UPSTREAM, WORK, PEER }, stdio: ['ignore', 'pipe', 'inherit'], cwd: vars.WORK }).toString().trim()
  const last = outText.split('\n').pop()
  return last?.startsWith('{') ? JSON.parse(last) : {}
}

async function start(t) {
  const dir = path.join(WORK, 'run', t.name)
  rmSync(dir, { recursive: true, force: true }); mkdirSync(dir, { recursive: true })
  const peer = path.join(WORK, 'peers', t.name)
  install(t, peer)
  const port = t.port ?? (await freePort())
  const vars = { PORT: port, BASE: `http://127.0.0.1:${port}`, UPSTREAM: `http://127.0.0.1:${UPSTREAM_PORT}`, UPSTREAM_ADDR: `127.0.0.1:${UPSTREAM_PORT}`, UPSTREAM_PORT, HERE, WORK: dir, PEER: peer, NODE: process.execPath, ...process.env, ...(t.vars ?? {}) }
  vars.WORK = dir
  if (t.mock) { // the limit: the load generator against the upstream itself, on the gateway's core
    const p = await startMock(port, GATEWAY_CORE)
    return { t, vars, roots: [p.pid], stop: async () => { p.kill('SIGTERM'); await sleep(50) }, coldStartMs: NaN, startCpuMs: NaN, url: `${vars.BASE}/v1/chat/completions`, headers: {} }
  }
  Object.assign(vars, hook(t.prepare, vars))
  for (const f of t.files ?? []) writeFileSync(fill(f.to, vars), fill(f.from ? readFileSync(fill(f.from, vars), 'utf8') : f.text, vars))
  let child, roots = t.pids ?? [], t0 = performance.now(), ended = null
  if (t.start) {
    const [cmd, ...args] = fill(t.start, vars)
    const logFile = openSync(path.join(dir, 'log.txt'), 'a')
    t0 = performance.now()
    child = spawnAt(GATEWAY_CORE, [cmd], args, { cwd: fill(t.cwd ?? dir, vars), env: { ...process.env, NODE_ENV: 'production', ...fill({ PORT: '${PORT}', UPSTREAM: '${UPSTREAM}', PEER: '${PEER}', ...(t.env ?? {}) }, vars) }, stdio: ['ignore', logFile, logFile], detached: true })
    closeSync(logFile)
    child.on('exit', (c, s) => { ended = `exit ${c ?? s}` })
    child.on('error', (e) => { ended = String(e) })
    roots = [child.pid]
  }
  const stop = async () => {
    if (!child || ended) return
    for (const [sig, ms] of [['SIGTERM', 5000], ['SIGKILL', 2000]]) {
      try { process.kill(-child.pid, sig) } catch { /* gone */ }
      const end = Date.now() + ms
      while (!ended && Date.now() < end) await sleep(20)
      if (ended) return
    }
  }
  const fresh = () => ({ url: fill(t.url ?? '${BASE}' + wire(t).path, vars), headers: fill(t.headers ?? {}, vars) })
  try {
    const limit = (t.startTimeoutMs ?? 60000) + performance.now()
    const ask = async () => {
      const { url, headers } = fresh()
      const r = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', connection: 'close', ...headers }, body: JSON.stringify(bodyOf(t, 700)), signal: AbortSignal.timeout(10000) })
      const body = await r.text()
      return { ok: r.status === 200, status: r.status, body }
    }
    let last = '', coldStartMs, startCpuMs
    const until = async (f) => { for (;;) { if (ended) throw new Error(`it ended: ${ended} ${last}`); if (performance.now() > limit) throw new Error(`no answer in time: ${last}`); try { if (await f()) return } catch (e) { last = String(e.cause ?? e) } await sleep(5) } }
    if (t.setup) {
      await until(async () => { const r = await fetch(fill(t.ready ?? '${BASE}/', vars)); last = `status ${r.status}`; await r.arrayBuffer(); return r.status < 500 })
      coldStartMs = performance.now() - t0
      startCpuMs = used(new Map(), cpu(tree(roots))).cpuUs / 1000
      Object.assign(vars, hook(t.setup, vars))
    }
    let answer
    await until(async () => { answer = await ask(); last = `status ${answer.status} ${answer.body.slice(0, 300)}`; return answer.ok })
    coldStartMs ??= performance.now() - t0
    startCpuMs ??= used(new Map(), cpu(tree(roots))).cpuUs / 1000
    let content
    try { content = wire(t).answer(JSON.parse(answer.body)) } catch { /* below */ }
    if (typeof content !== 'string' || !content.startsWith('the quick brown fox')) throw new Error(`not the answer of the upstream: ${answer.body.slice(0, 300)}`)
    return { t, vars, roots, stop, coldStartMs: t.start ? coldStartMs : NaN, startCpuMs: t.start ? startCpuMs : NaN, ...fresh() }
  } catch (e) { await stop(); throw e }
}

const servicePids = (t, vars) => (t.services ?? []).flatMap((s) => { try { return tree([Number(readFileSync(fill(s.pidFile, vars), 'utf8').split('\n')[0])]) } catch { return [] } })

async function measured(g, f) {
  const svc = () => servicePids(g.t, g.vars)
  const pids = () => { const apart = new Set(svc()); return tree(g.roots).filter((pid) => !apart.has(pid)) }
  const a = cpu(pids()), sa = cpu(svc()), ca = core(GATEWAY_CORE), t0 = performance.now()
  let peak = 0
  const sampler = setInterval(() => { peak = Math.max(peak, rssMb(pids())) }, 200)
  const r = await f()
  clearInterval(sampler)
  const secs = (performance.now() - t0) / 1000
  const b = cpu(pids()), sb = cpu(svc()), cb = core(GATEWAY_CORE)
  peak = Math.max(peak, rssMb(pids()))
  g.peak = Math.max(g.peak ?? 0, peak)
  const mine = used(a, b), theirs = used(sa, sb)
  const foreign = pinned ? Math.max(0, cb.busyUs - ca.busyUs - mine.cpuUs) / 1e6 / secs : NaN
  return { r, foreign, ...mine, svcUs: theirs.cpuUs, secs, rssPeak: peak, stealUs: cb.stealUs - ca.stealUs }
}

function child(argv, onCore = LOAD_CORE) {
  return new Promise((resolve, reject) => {
    const p = spawnAt(onCore, argv, [], { stdio: ['ignore', 'pipe', 'pipe'] })
    let o = '', e = ''
    p.stdout.on('data', (b) => { o += b }); p.stderr.on('data', (b) => { e += b })
    p.on('error', reject)
    p.on('close', (c) => (c === 0 ? resolve(o) : reject(new Error(`${argv[0]} ended with ${c}: ${e.slice(-400)}`))))
  })
}

async function wrk(g, body, c, secs) {
  const dir = path.join(WORK, 'tmp'); mkdirSync(dir, { recursive: true })
  const bodyFile = path.join(dir, `${g.t.name}.json`), lua = path.join(dir, `${g.t.name}.lua`)
  writeFileSync(bodyFile, JSON.stringify(body))
  const q = (s) => JSON.stringify(String(s))
  writeFileSync(lua, [`wrk.method = "POST"`, `local f = io.open(${q(bodyFile)}); wrk.body = f:read("*a"); f:close()`,
    ...Object.entries({ 'Content-Type': 'application/json', ...g.headers }).map(([k, v]) => `wrk.headers[${q(k)}] = ${q(v)}`),
    `done = function(s, l, r)`, `  io.write(string.format('\\n@@{"requests":%d,"us":%d,"status":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d,"p50":%d,"p90":%d,"p99":%d,"max":%d}\\n', s.requests, s.duration, s.errors.status, s.errors.connect, s.errors.read, s.errors.write, s.errors.timeout, l:percentile(50), l:percentile(90), l:percentile(99), l.max))`, `end`].join('\n'))
  const o = await child(['wrk', '-t1', `-c${c}`, `-d${secs}s`, '--timeout', '30s', '-s', lua, g.url])
  return JSON.parse(o.split('@@')[1])
}

async function closedLoop(g, body, c, secs) {
  const x = await measured(g, () => wrk(g, body, c, secs))
  const n = x.r.requests
  return { rps: n / (x.r.us / 1e6), requests: n, cpuPerReq: x.cpuUs / n, svcPerReq: x.svcUs / n, userUs: x.userUs / n, sysUs: x.sysUs / n, cores: x.cpuUs / 1e6 / x.secs, p50: x.r.p50, p90: x.r.p90, p99: x.r.p99, max: x.r.max, errors: x.r.status + x.r.connect + x.r.read + x.r.write + x.r.timeout, rssPeak: x.rssPeak, stealUs: x.stealUs, foreign: x.foreign }
}

async function streams(g, c, paced, secs) {
  await mockSet(g.t.mock ? g.vars.PORT : UPSTREAM_PORT, { gap_us: paced ? gapMs * 1000 : 0, chunks })
  const arg = { url: g.url, headers: g.headers, body: bodyOf(g.t, 700, true), key: wire(g.t).key, done: wire(g.t).done, concurrency: c, seconds: secs, expect: chunks, paced, streamMs: gapMs * chunks }
  const x = await measured(g, async () => JSON.parse(await child([process.execPath, path.join(HERE, 'lib/stream.mjs'), JSON.stringify(arg)])))
  await mockSet(g.t.mock ? g.vars.PORT : UPSTREAM_PORT, { gap_us: 0 })
  return { ...x.r, cpuPerStream: x.cpuUs / x.r.streams, cpuPerChunk: x.cpuUs / x.r.chunks, svcPerStream: x.svcUs / x.r.streams, svcPerChunk: x.svcUs / x.r.chunks, cores: x.cpuUs / 1e6 / x.secs, rssPeak: x.rssPeak, foreign: x.foreign }
}

// Other work on the gateway's core spoils a phase. Wait for a quiet moment (up to --patience seconds in all for a
// target's round), and when the phase was disturbed all the same, take it again and keep the least disturbed.
const QUIET = 0.1
async function quiet(g) {
  if (!pinned) return
  g.patience ??= Number(opt.patience) * 1000
  for (;;) {
    const a = core(GATEWAY_CORE), b = core(LOAD_CORE), t0 = performance.now()
    await sleep(400)
    const ms = performance.now() - t0
    if ((core(GATEWAY_CORE).busyUs - a.busyUs) / 1000 / ms <= QUIET + 0.05 && (core(LOAD_CORE).busyUs - b.busyUs) / 1000 / ms <= 0.3) return
    g.patience -= ms
    if (g.patience <= 0) return
  }
}
async function best(g, f) {
  let kept
  for (let i = 0; i <= Number(opt.retries); i++) {
    await quiet(g)
    const r = await f()
    if (!kept || r.foreign < kept.foreign) kept = r
    if (!(kept.foreign > QUIET)) break
  }
  return kept
}

async function checkStream(g) { // events must come through one by one, not as one lump at the end
  const r = await streams(g, 1, true, 0.5)
  const spanMs = (r.whole.p50 - r.ttft.p50) / 1000
  return { ok: r.errors === 0 && r.short === 0 && spanMs > gapMs * chunks * 0.7, events: r.chunks / Math.max(1, r.streams), spanMs, error: r.error }
}

async function one(t, round) {
  const rec = { target: t.name, round }
  let g
  const starts = []
  try {
    for (let i = 0; i < (t.mock || opt.check ? 1 : Number(opt.starts)); i++) { await g?.stop(); await quiet({ patience: 10000 }); g = await start(t); starts.push(g) }
  } catch (e) { rec.failed = String(e.message ?? e).slice(0, 800); log(`  ${t.name}: ${rec.failed}`); return rec }
  const middle = (k) => starts.map((x) => x[k]).sort((a, b) => a - b)[starts.length >> 1]
  try {
    rec.coldStartMs = middle('coldStartMs')
    rec.startCpuMs = middle('startCpuMs')
    await sleep(1500)
    rec.rssIdle = rssMb(tree(g.roots))
    if (round === 0 || opt.check) { rec.stream = await checkStream(g); if (!rec.stream.ok) log(`  ${t.name}: streaming is not event by event: ${JSON.stringify(rec.stream)}`) }
    if (opt.check) { log(`  ${t.name}: ok, start ${Math.round(g.coldStartMs)} ms, rss ${Math.round(rec.rssIdle)} MB, ${JSON.stringify(rec.stream)}`); return rec }
    for (let n = 0, i = 0; n < 5000 && i < 4; i++) n += (await wrk(g, bodyOf(t, 700), 64, 2)).requests // warm-up: connections, JIT, caches
    const skip = new Set(t.skip ?? [])
    if (phases.includes('rps')) { rec.rps = {}; for (const c of conc) rec.rps[c] = await best(g, () => closedLoop(g, bodyOf(t, 700), c, seconds)) }
    if (phases.includes('large') && !skip.has('large')) rec.large = await best(g, () => closedLoop(g, bodyOf(t, Number(opt['large-kb']) * 1024), 16, seconds))
    if (phases.includes('rate')) {
      const arg = { target: { url: g.url, headers: g.headers, body: bodyOf(t, 700) }, base: { url: `http://127.0.0.1:${UPSTREAM_PORT}/v1/chat/completions`, body: WIRES.openai.body('gpt-4o-mini', 700) }, rps: Number(opt.rate), seconds: Math.max(4, seconds * 1.5) }
      rec.rate = await best(g, async () => {
        const x = await measured(g, async () => JSON.parse(await child([process.execPath, path.join(HERE, 'lib/rate.mjs'), JSON.stringify(arg)])))
        return { ...x.r, cpuPerReq: x.cpuUs / x.r.completed, svcPerReq: x.svcUs / x.r.completed, foreign: x.foreign }
      })
    }
    if (!skip.has('stream')) {
      if (phases.includes('burst')) { await streams(g, 16, false, 1); rec.burst = {}; for (const c of conc) rec.burst[c] = await best(g, () => streams(g, c, false, seconds)) }
      if (phases.includes('paced')) { rec.paced = {}; for (const c of conc) rec.paced[c] = await best(g, () => streams(g, c, true, seconds)) }
    }
    await sleep(2000)
    rec.rssAfter = rssMb(tree(g.roots))
    rec.rssPeak = g.peak
    rec.svcPss = t.services ? pssMb(servicePids(t, g.vars)) : NaN
    const all = [...Object.values(rec.rps ?? {}), rec.large, rec.rate, ...Object.values(rec.burst ?? {}), ...Object.values(rec.paced ?? {})].filter(Boolean).map((x) => x.foreign)
    rec.foreign = all.reduce((x, y) => x + y, 0) / all.length
    rec.foreignMax = Math.max(...all)
  } catch (e) { rec.failed = String(e.stack ?? e).slice(0, 800); log(`  ${t.name}: ${rec.failed}`) } finally { await g.stop() }
  return rec
}

// ---------- the whole comparison
if (pinned) execFileSync('taskset', ['-cp', String(LOAD_CORE), String(process.pid)], { stdio: 'ignore' })
try { execFileSync('wrk', ['-v'], { stdio: 'pipe' }) } catch (e) { if (e.code === 'ENOENT') { log('wrk is missing: apt-get install wrk'); process.exit(1) } }
for (const t of targets) install(t, path.join(WORK, 'peers', t.name))
const upstream = await startMock(UPSTREAM_PORT, LOAD_CORE)
const bye = (code) => { upstream.kill(); process.exit(code) }
process.on('SIGINT', () => bye(130)); process.on('SIGTERM', () => bye(143))
const data = { meta: { at: new Date().toISOString(), rounds: Number(opt.rounds), seconds, conc, rate: Number(opt.rate), chunks, gapMs, largeBytes: Number(opt['large-kb']) * 1024, baseline: opt.baseline, pinned, node: process.version, cpu: `${os.cpus().length} × ${os.cpus()[0].model}`, order: targets.map((t) => t.name), about: Object.fromEntries(targets.map((t) => [t.name, t.about ?? ''])) }, runs: [] }
const file = path.join(OUT, 'results.json')
let from = 0
if (opt.append && existsSync(file)) { const old = JSON.parse(readFileSync(file, 'utf8')); data.runs = old.runs; from = old.meta.rounds; data.meta.rounds += from; data.meta.order = [...new Set([...old.meta.order, ...data.meta.order])]; Object.assign(data.meta.about, { ...old.meta.about, ...data.meta.about }) }
for (let round = from; round < (opt.check ? 1 : data.meta.rounds); round++) {
  for (let i = 0; i < targets.length; i++) {
    const t = targets[(i + round) % targets.length]
    log(`round ${round + 1}/${data.meta.rounds}  ${t.name}  load ${os.loadavg()[0].toFixed(2)}`)
    const rec = await one(t, round)
    data.runs.push(rec)
    if (rec.rps) { const c = conc.includes(64) ? 64 : conc.at(-1); log(`  c=${c}: ${Math.round(rec.rps[c].rps)} req/s, ${rec.rps[c].cpuPerReq.toFixed(1)} µs CPU/req, errors ${rec.rps[c].errors}; others on the core ${Math.round(100 * rec.foreign)} % (worst phase ${Math.round(100 * rec.foreignMax)} %)`) }
    writeFileSync(file, JSON.stringify(data, null, 1))
  }
}
if (!opt.check) { const md = report(data); writeFileSync(path.join(OUT, 'report.md'), md); console.log(md); log(`\n${file}`) }
bye(0)
