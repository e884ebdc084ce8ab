import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { onceConnected } from './connection.js';
import { projectRoot } from './project-root.js';

/** What a pool of the application works as. The migrations say what each of them may do. */
export type WorkingRole = 'gw_app' | 'gw_platform';

const WORKING_ROLES: readonly WorkingRole[] = ['gw_app', 'gw_platform'];

/** The role that owns every table and runs the migrations. Nobody logs in as it. */
const OWNER = 'gw_owner';

/** Brings the roles about; what each statement of it is for stands there. */
const PREPARE = readFileSync(join(projectRoot(), 'prisma', 'roles.sql'), 'utf8');

/** Taken by another session in the same moment: a role, a membership, a row of the catalogue. */
const RACED = new Set(['42710', '23505', 'XX000', '40P01']);
const TRIES_MAX = 10;
const RETRY_MS = 20;

/** Not allowed to make roles, or to act as one that is there. */
const NOT_ALLOWED = '42501';

/**
 * Brings the roles about and makes the session act as the owner, for migrations.
 * @throws Error that says what to do when the login of the session may not
 */
export async function actAsOwner(client: pg.Client): Promise<void> {
  try {
    await untilFirst(() => client.query(PREPARE));
    await client.query(`SET ROLE ${OWNER}`);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== NOT_ALLOWED) throw error;
    throw new Error(
      'the login of the database may not make the roles of the gateway ' +
        `(${error.message}); give one that may as DATABASE_MIGRATION_URL`,
      { cause: error },
    );
  }
}

async function untilFirst(work: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work();
      return;
    } catch (error) {
      const raced = error instanceof pg.DatabaseError && RACED.has(error.code ?? '');
      if (!raced || tries === TRIES_MAX) throw error;
      await sleep(RETRY_MS * tries * Math.random());
    }
  }
}

/** How to connect as each of the two roles of the application. */
export type WorkingConnections = Readonly<Record<WorkingRole, pg.ClientConfig>>;

/**
 * Logins of this database alone for the application, a login for each role, with a password that
 * follows from `secret`. Whoever smuggles SQL into one of them has no other role to change to, as
 * after a SET ROLE; and two gateways on one server have nothing of each other. Where nodes with
 * `otherSecrets` are at work, they keep their logins.
 * @param connection of a login that may make roles
 */
export async function workingLogins(
  connection: pg.ClientConfig,
  secret: string,
  otherSecrets: readonly string[] = [],
): Promise<WorkingConnections> {
  return onceConnected(connection, async (client) => {
    const { rows } = await client.query<{ oid: number }>(
      'SELECT oid FROM pg_database WHERE datname = current_database()',
    );
    const oid = rows[0]?.oid ?? 0;
    const logins: Partial<Record<WorkingRole, pg.ClientConfig>> = {};
    for (const role of WORKING_ROLES) {
      const names = [`${role}_${oid}`, `${role}_${oid}_b`] as const;
      logins[role] = await loginOf(client, connection, { role, names, secret, otherSecrets });
    }
    return logins as WorkingConnections;
  });
}

interface WorkingLogin {
  readonly role: WorkingRole;
  /** While the secret is replaced, nodes with the former one keep theirs. */
  readonly names: readonly [string, string];
  readonly secret: string;
  readonly otherSecrets: readonly string[];
}

async function loginOf(
  client: pg.Client,
  connection: pg.ClientConfig,
  { role, names, secret, otherSecrets }: WorkingLogin,
): Promise<pg.ClientConfig> {
  const as = (user: string, by: string) => asUser(connection, user, passwordOf(by, user));
  const [first, second] = names;
  for (const name of names) {
    const login = as(name, secret);
    if (!(await letsIn(login))) continue;
    if (otherSecrets.length === 0) await shut(client, name === first ? second : first);
    return login;
  }
  let user: string = first;
  for (const other of otherSecrets) if (await letsIn(as(first, other))) user = second;
  const verifier = passwordVerifier(passwordOf(secret, user));
  await untilFirst(() => client.query(loginSql(role, user, verifier)));
  return as(user, secret);
}

/** Whichever of the two names the former secret had: a login that nobody works by is shut. */
const IDLE_LOGIN = `SELECT FROM pg_roles WHERE rolname = $1
  AND NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = $1)`;

async function shut(client: pg.Client, user: string): Promise<void> {
  const { rowCount } = await client.query(IDLE_LOGIN, [user]);
  if (rowCount === 1) await untilFirst(() => client.query(`ALTER ROLE ${user} PASSWORD NULL`));
}

function passwordOf(secret: string, user: string): string {
  return createHmac('sha256', secret).update(`login ${user}`).digest('base64url');
}

/** False when the server does not know the login, or by another password. */
async function letsIn(login: pg.ClientConfig): Promise<boolean> {
  try {
    return await onceConnected(login, async () => true);
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code?.startsWith('28')) return false;
    throw error;
  }
}

const ITERATIONS = 4_096;

/** What PostgreSQL keeps of a password (RFC 5803), so that the log of the server never sees it. */
function passwordVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyed = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(keyed('Client Key')).digest('base64');
  const serverKey = keyed('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

function loginSql(role: WorkingRole, user: string, verifier: string): string {
  return `
    DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${user}') THEN
        CREATE ROLE ${user} LOGIN;
        GRANT ${role} TO ${user};
      END IF;
      ALTER ROLE ${user} PASSWORD '${verifier}';
    END $$`;
}

/** What stands in a connection string wins over the fields beside it. */
function asUser(connection: pg.ClientConfig, user: string, password: string): pg.ClientConfig {
  const { connectionString, ...rest } = connection;
  if (connectionString === undefined) return { ...rest, user, password };
  const url = new URL(connectionString);
  url.username = user;
  url.password = password;
  return { ...rest, connectionString: url.toString() };
}

/**
 * The login that the operator gives for the application, beside another one for migrations: its
 * sessions begin in one of the two roles. It has no rights but theirs, so leaving the role is of no
 * use to anybody.
 * @throws Error when the login could change tables or be the owner
 */
export async function givenLogin(
  connection: pg.ClientConfig,
  migrating: pg.ClientConfig,
): Promise<WorkingConnections> {
  const user = await onceConnected(connection, async (client) => {
    const { rows } = await client.query<{ name: string; strong: boolean }>(
      `SELECT session_user AS name,
         rolsuper OR rolbypassrls OR rolcreaterole OR pg_has_role('${OWNER}', 'MEMBER')
           OR (SELECT pg_has_role(datdba, 'MEMBER') FROM pg_database
               WHERE datname = current_database()) AS strong
       FROM pg_roles WHERE rolname = session_user`,
    );
    if (rows[0]?.strong !== false) {
      throw new Error(
        'DATABASE_URL names a login that could change the tables of the gateway; beside ' +
          'DATABASE_MIGRATION_URL it has to be one without rights of its own',
      );
    }
    return rows[0].name;
  });
  await onceConnected(migrating, (client) =>
    untilFirst(() => client.query(`GRANT gw_app, gw_platform TO ${pg.escapeIdentifier(user)}`)),
  );
  return { gw_app: inRole(connection, 'gw_app'), gw_platform: inRole(connection, 'gw_platform') };
}

function inRole(connection: pg.ClientConfig, role: WorkingRole): pg.ClientConfig {
  const options = [connection.options, `-c role=${role}`].filter(Boolean).join(' ');
  return { ...connection, options };
}
