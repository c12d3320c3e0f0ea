import {
  changedFields,
  created,
  decided,
  deleted,
  invalidField,
  unchanged,
  type Decision,
  type Fields,
} from '@platform-backend/core';
import type { PipelinesEvent } from '../../events.ts';
import { connectionInUse, tooManyConnections } from './errors.ts';

/** How something of an organisation is reached, with what it wants to be told in secret. */
export interface Connection {
  readonly id: string;
  /** Unique in its organisation, whatever the case of its letters. */
  readonly name: string;
  readonly settings: ConnectionSettings;
  /** Sealed; null where there is none, as an HTTP interface may need. */
  readonly sealedSecret: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export type ConnectionSettings = PostgresqlSettings | S3Settings | HttpSettings;
export type ConnectionKind = ConnectionSettings['kind'];

export interface PostgresqlSettings {
  readonly kind: 'POSTGRESQL';
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly sslMode: 'VERIFY_FULL' | 'REQUIRE' | 'DISABLE';
  /** In PEM; empty: of the authorities that everybody knows. */
  readonly sslRootCertificate: string;
}

export interface S3Settings {
  readonly kind: 'S3';
  /** Empty: Amazon's of the region. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
}

export interface HttpSettings {
  readonly kind: 'HTTP';
  readonly baseUrl: string;
  readonly headerName: string;
}

/** What its secret is sealed for: copied to another connection, or another organisation's, it opens for nobody. */
export const secretContext = (organisationId: string, id: string): string => `connection/${organisationId}/${id}`;

/** The most that an organisation has. */
export const MAX_CONNECTIONS = 100;

/** Of the datasets that still need one. */
const MAX_NAMED = 5;

export interface ConnectionChange {
  readonly name?: string;
  readonly settings?: ConnectionSettings;
  readonly sealedSecret?: string | null;
}

/** CONFLICT: there are as many as there may be. INVALID: what is reached there cannot do without a secret. */
export function createConnection(
  present: number,
  made: Pick<Connection, 'id' | 'name' | 'settings' | 'sealedSecret'>,
  at: Date,
): Decision<Connection, PipelinesEvent> {
  if (present >= MAX_CONNECTIONS) throw tooManyConnections({ max: MAX_CONNECTIONS });
  requireSecret(made);
  const connection: Connection = { ...made, createdAt: at, updatedAt: at };
  return created('connection.created', connection, at, { connection_id: connection.id }, shown(fieldsOf(connection)));
}

/**
 * Changes the fields given; the same values again change nothing and are no event. INVALID: another kind, or another place without its
 * secret: whoever may change settings shall not have the secret of before sent to a server of their own.
 */
export function changeConnection(
  connection: Connection,
  wanted: ConnectionChange,
  at: Date,
): Decision<Connection, PipelinesEvent> {
  const next: Connection = { ...connection, ...wanted, updatedAt: at };
  if (next.settings.kind !== connection.settings.kind)
    throw invalidField(['body', 'settings'], 'a connection keeps its kind', null);
  const movesSecret = connection.sealedSecret !== null && wanted.sealedSecret === undefined;
  if (movesSecret && destinationOf(next.settings) !== destinationOf(connection.settings))
    throw invalidField(['body', 'secret'], 'the settings lead elsewhere: the secret has to be given again', null);
  requireSecret(next);
  const changed = changedFields(fieldsOf(connection), fieldsOf(next));
  const change = { before: shown(changed.before), after: shown(changed.after) };
  const hasOtherSecret = next.sealedSecret !== connection.sealedSecret;
  const names = [...Object.keys(change.after), ...(hasOtherSecret ? ['secret'] : [])];
  if (names.length === 0) return unchanged(connection);
  return decided(next, {
    name: 'connection.updated',
    subject: connection.id,
    at,
    data: { connection_id: connection.id, changed_fields: names },
    change: hasOtherSecret
      ? { before: { ...change.before, secret: '(sealed)' }, after: { ...change.after, secret: '(replaced)' } }
      : change,
  });
}

/** CONFLICT: datasets are read from it. */
export function deleteConnection(
  connection: Connection,
  datasets: readonly string[],
  at: Date,
): Decision<undefined, PipelinesEvent, { readonly id: string }> {
  if (datasets.length > 0) throw connectionInUse({ datasets: listed(datasets) });
  return deleted('connection.deleted', connection, at, { connection_id: connection.id }, shown(fieldsOf(connection)));
}

const listed = (names: readonly string[]): string =>
  [...names.slice(0, MAX_NAMED), ...(names.length > MAX_NAMED ? [`${names.length - MAX_NAMED} more`] : [])].join(', ');

/** Who is told the secret, and how safely: the same before and after a change, or it is another place. */
function destinationOf(settings: ConnectionSettings): string {
  switch (settings.kind) {
    case 'POSTGRESQL': {
      const { host, port, sslMode, sslRootCertificate } = settings;
      return JSON.stringify([host.toLowerCase(), port, sslMode, sslRootCertificate]);
    }
    case 'S3':
      return settings.endpoint === '' ? '' : new URL(settings.endpoint).origin;
    case 'HTTP':
      return new URL(settings.baseUrl).origin;
  }
}

function requireSecret({ settings, sealedSecret }: Pick<Connection, 'settings' | 'sealedSecret'>): void {
  if (sealedSecret === null && settings.kind !== 'HTTP')
    throw invalidField(['body', 'secret'], 'this kind of connection needs one', null);
}

/** By the names of the API, without its secret. */
function fieldsOf({ name, settings }: Pick<Connection, 'name' | 'settings'>): Fields {
  switch (settings.kind) {
    case 'POSTGRESQL': {
      const { kind, host, port, database, user, sslMode, sslRootCertificate } = settings;
      return { name, kind, host, port, database, user, ssl_mode: sslMode, ssl_root_certificate: sslRootCertificate };
    }
    case 'S3': {
      const { kind, endpoint, region, bucket, accessKeyId } = settings;
      return { name, kind, endpoint, region, bucket, access_key_id: accessKeyId };
    }
    case 'HTTP': {
      const { kind, baseUrl, headerName } = settings;
      return { name, kind, base_url: baseUrl, header_name: headerName };
    }
  }
}

/** What the audit log shows: of a certificate that there is one, as it is long. */
const shown = (fields: Fields): Fields => ({
  ...fields,
  ...(fields['ssl_root_certificate'] ? { ssl_root_certificate: '(given)' } : {}),
});
