/** Names whose values never belong in a log, wherever they turn up. */
const SECRET_NAMES = [
  'authorization',
  'Authorization',
  'cookie',
  'Cookie',
  'set-cookie',
  'Set-Cookie',
  'api-key',
  'Api-Key',
  'Api-key',
  'apiKey',
  'api_key',
  'x-api-key',
  'caller-assertion',
  'password',
  'passphrase',
  'token',
  'accessToken',
  'access_token',
  'refreshToken',
  'refresh_token',
  'idToken',
  'id_token',
  'secret',
  'clientSecret',
  'client_secret',
  'privateKey',
  'private_key',
  'connectionString',
];

/** Objects are logged at most this many levels deep under a line; deeper ones are not logged at all by us. */
const DEPTH = 4;

/** pino's redaction paths: each secret name at the top of a line and up to four levels below. */
export const SECRET_PATHS: string[] = Array.from({ length: DEPTH + 1 }, (_, depth) =>
  SECRET_NAMES.map((name) => `${'*.'.repeat(depth)}["${name}"]`.replace('.[', '[')),
).flat();
