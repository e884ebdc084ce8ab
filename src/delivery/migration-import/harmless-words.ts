/** Words as one text, which is easier to read than a list of quotes. */
function words(text: string): string[] {
  return text.split(/\s+/).filter(Boolean);
}

/** Words of the wires, libraries and settings that are imported. None of them is anybody's own. */
const WIRE = words(`
  accept access account action actor agent ai all allow any api apis app args argument arguments
  array assistant async asynchronous at audio auth authorization auto aws azure base basepath
  basic batch batches bearer bedrock binary body bool boolean buffer build by cache call
  callback calls category chat chain choice class classic client code cognitive column command
  compatible completion completions complete config configuration connection connections
  connector container content context conversation core cost count create created cred
  credential credentials custom data database date day default defaults delete delta deploy
  deployment deployments description detail detailed dev development devices dict dimensions
  disable display document documents down driver drop dry dynamic edge edges effort embed
  embedding embeddings enable enabled encoding end endpoint endpoints engine engines entry
  entrypoint env environment error errors event example exec execute executor expression
  external extra fallback fallbacks false fast feature field fields file files filter find fine
  flow float folder form format frequency from func function functions gateway general generate
  generation get global go graph group groups guard handler head header headers health
  healthcheck help high host hosts hosted hour http https human id ids image images index info
  inference inner input inputs instance instruction instructions int integer interface interval
  intermediate internal invoke item items java javascript job jobs json key keys kind label
  labels lang language large latency latest layer length level levels limit limits line list llm
  llms load loader local localhost location log logging logit logs long low main manager manual
  map master max maximum medium mem memory merge message messages metadata method min mini mode
  model models module modules mount multi multipart name names namespace native net network
  networks never new no node nodes none normal null nullable number object objects off on once
  open openapi operation option optional options order org organization origin out outer output
  outputs package page parallel param parameter parameters params parse parsed parser part parts
  pass password patch path pattern pay penalty permissions ping pipeline plain platform plus
  policy port ports position post predict prefix presence preset preview primary priority
  private pro problem process prod production profile project projects prompt prompts properties
  property provider providers proxy public pull push put python query queue quick random rate
  raw react read reader reason reasoning record records redis referer region registry reply
  replicas request requests require required resource resources response responses restart
  result results retries retriever retry retrieval return role route router routes routing row
  rpm run runnable runtime schema scope script search second secret secrets seed selected send
  sequence serial server serverless service services session sessions set settings shell short
  shuffle simple site size sleep small source space speech split sql sse stack stage staging
  standard start state static status step steps stop storage store stored stream streaming
  strict string structured style sub subject sum summary support supports sync system table tag
  tags target task temperature template test tests text thinking thread threads tier time
  timeout timeouts timestamp title to token tokens tool tools top total tpm trace training
  transcription transcriptions translations trigger true tts tuning turbo turn txt type types
  unless up update upload uploads upstream uri url urls usage use user username users utf value
  values var variable variables vector vectors verbose version versions view virtual vision
  voice volume volumes wait web webhook window with word words work worker workers workflow
  write www yaml yes zero
`);

/** Providers, libraries, programs and products, in words. */
const PRODUCTS = words(`
  amazonaws anthropic berriai bitnami bothub chroma langfuse chromadb cohere community compose
  crewai curl dashscope databricks deep deepinfra deepseek docker express fastapi fireworks
  flowise flowiseai gemini genai generativeai ghcr giga gigachat github gitlab gmail google
  googleapis gpu grafana groq hugging huggingface face integromat io ipex jinja kafka kubernetes
  lang langchain langflow langgraph langsmith langchainjs lite litellm llama llamacpp llamaindex
  lm lmstudio mcp make milvus mistral mistralai moonshot mysql n8n nginx nodejs novita nvidia
  ngw ollama openai open router openrouter openwebui perplexity pers corp personal pg pgvector
  pinecone postgres postgresql prebuilt prometheus proxyapi qdrant qwen rabbitmq replicate sdk
  sambanova sber sberbank siliconflow slack sqlite stability telegram tgi together typescript
  vercel vertex vllm vsegpt watsonx webui xai xinference yandex yandexcloud yandexgpt yc zhipu
  zod ru com ai cloud kandinsky weaviate deno bun tiktoken instructor pydantic dotenv
  openrouterai togethercomputer compatibility devel slim alpine bookworm cuda cpu rocm stable
`);

/** Values and names that exported workflows and compose files have. */
const WORKFLOW = words(`
  imtconn rl cached resource locator mapper restore expect designer zone scenario blueprint
  lmchat parsers memory subworkflow sticky note noop httprequest webhooks respond credential
  display tweaks frozen beta legacy lf edge minimap zoom viewport dragging selected selectable
  width height x y anchors anchor input list filters visible loadmethods folder mcp icon always
  stopped failure unhealthy started healthy condition depends extends cmd curl gpus reservations
  capabilities driver ipc shm ulimits mem cpus bridge published protocol tcp udp sha interval
  retries expose links image hostname external attachable dockerfile target args tensor parallel
  served max len num gpu utilization dtype bfloat float half quantization awq gptq fp8 swap
  trust remote chat tokenizer eager enforce loglevel debug warning warn info critical silent
  insecure show fail location compressed url data urlencode json cookie jar header user agent
  proxy noproxy connect request include output verbose progress keepalive cacert cert oauth gzip
  br deflate charset utf octet form urlencoded keep alive cors same origin
`);

/** Names of the languages themselves. */
const LANGUAGE = words(`
  abs append application apply asyncio bytes callable chr console const constructor decode dumps
  enumerate exception exit extend fetch finally foreach format fs getattr globals isinstance
  iter iterator keyerror lambda len length lower main map math merge next number open optional
  os parseint pathlib print printf process promise property range raise readable readfile
  replace repr require resolve reverse round self setattr setdefault slice sorted split
  splitlines startswith str strip stdout stderr stdin sum super sys then throw tostring trim
  tuple typing typeerror undefined union unknown upper valueerror warn writable yield zip shared
  src lib dist tmp var opt usr bin etc public
`);

/** Words of the names of models. */
const MODEL = words(`
  adapter ada alpha babbage base chatgpt claude code coder codestral codex command curie dall
  davinci deep distill embed embedding embeddings exp experimental experience expert fast flash
  flux free ft gemini gemma giga gigachat glm gpt grok haiku hermes image imagen instant
  instruct instruction it kimi large lite llama long magistral max maverick medium meta micro
  mini minimax ministral mistral mixtral moderation moe multilingual nano nemo nemotron next
  nous nousresearch omni online opus phi pixtral plus preview pro qwen qwq realtime reason
  reasoner reasoning rerank scout search small sonar sonnet speech stt super tall text thinking
  tiny transcribe tts turbo ultra v vision vl vox whisper yi yandexgpt zero zephyr bge e5 gte
  nomic jina minilm mpnet roberta saiga vikhr tlite tpro research reader writer guard safeguard
  oss hd std stable diffusion xl deepthink diarize microsoft nvidia google deepseek ai mistralai
  alibaba cohere moonshotai bytedance tencent zai intfloat baai ibm granite aya titan nova
  amazon inflection perplexity liquid arcee cognitive sber
`);

/** Every word that may be shown wherever it stands, except under the name of a secret. */
export const HARMLESS_WORDS: ReadonlySet<string> = new Set([
  ...WIRE,
  ...PRODUCTS,
  ...WORKFLOW,
  ...LANGUAGE,
  ...MODEL,
]);

/** Words of which a name has one when it is the name of a model. */
export const MODEL_FAMILIES: ReadonlySet<string> = new Set(
  words(`
    ada babbage bge chatgpt claude codestral command curie dall davinci deepseek e5 embedding
    embeddings flux gemini gemma gigachat glm gpt grok gte kimi llama magistral ministral
    mistral mixtral nemotron nomic phi pixtral qwen qwq saiga sonar tts vikhr whisper yandexgpt
    yi
  `),
);

/** Labels under which providers serve; others are names of customers. */
export const HOST_LABELS: ReadonlySet<string> = new Set(
  words(`
    ai api apis app beta cloud devices eastus gateway generativelanguage gigachat inference llm
    models ngw openai rest router runtime sberbank us eu westeurope www bedrock
  `),
);

interface NumberBounds {
  readonly min: number;
  readonly max: number;
}

/** Parameters whose numbers may be shown, by the end of their name in words; bounds included. */
export const NUMBERS: Readonly<Record<string, NumberBounds>> = {
  temperature: { min: 0, max: 2 },
  top_p: { min: 0, max: 1 },
  min_p: { min: 0, max: 1 },
  top_k: { min: 0, max: 1_000 },
  presence_penalty: { min: -2, max: 2 },
  frequency_penalty: { min: -2, max: 2 },
  repetition_penalty: { min: 0, max: 2 },
  max_tokens: { min: 0, max: 99_999 },
  max_completion_tokens: { min: 0, max: 99_999 },
  max_output_tokens: { min: 0, max: 99_999 },
  max_input_tokens: { min: 0, max: 2_000_000 },
  context_window: { min: 0, max: 2_000_000 },
  context_length: { min: 0, max: 2_000_000 },
  num_ctx: { min: 0, max: 2_000_000 },
  max_model_len: { min: 0, max: 2_000_000 },
  dimensions: { min: 1, max: 16_384 },
  n: { min: 1, max: 128 },
  timeout: { min: 0, max: 86_400 },
  request_timeout: { min: 0, max: 86_400 },
  max_retries: { min: 0, max: 100 },
  num_retries: { min: 0, max: 100 },
  retries: { min: 0, max: 100 },
  rpm: { min: 0, max: 99_999 },
  tpm: { min: 0, max: 2_000_000 },
  type_version: { min: 0, max: 100 },
  version: { min: 0, max: 100 },
};
