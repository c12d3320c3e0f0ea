import { DomainError } from '@platform-backend/core';
import { SecretUnreadable } from '@platform-backend/core/secret-box';
import { failedReport, type StepReport } from '../../step-engine/domain/step-job.ts';
import type { Connection, HttpSettings, PostgresqlSettings, S3Settings } from '../domain/connection.ts';
import type { Connections } from '../domain/connections.ts';
import {
  SourceFailure,
  type ConnectionSource,
  type FetchedSource,
  type FetchInto,
  type HttpSource,
  type OpenConnection,
  type PostgresqlSource,
  type S3Source,
  type SourceClient,
} from '../domain/source.ts';

export interface SourcePorts {
  readonly connections: Pick<Connections, 'get'>;
  /** @throws SecretUnreadable */
  readonly open: (organisationId: string, id: string, sealed: string) => string;
  readonly clients: {
    readonly postgresql: SourceClient<PostgresqlSettings, PostgresqlSource>;
    readonly s3: SourceClient<S3Settings, S3Source>;
    readonly http: SourceClient<HttpSettings, HttpSource>;
  };
}

/** Brings what a source has now to a file of this machine. A report: why it could not be, which whoever has set it up can mend. */
export type ReadSource = (
  organisationId: string,
  source: ConnectionSource,
  into: FetchInto,
) => Promise<FetchedSource | StepReport>;

export const readSource =
  (ports: SourcePorts): ReadSource =>
  async (organisationId, source, into) => {
    try {
      const connection = await ports.connections.get(organisationId, source.connectionId);
      return await fetchFrom(ports.clients, openedBy(ports, organisationId, connection), source, into);
    } catch (error) {
      if (into.signal.aborted) throw error;
      const failure = failureOf(error);
      return failedReport(failure.code, failure.message);
    }
  };

export const openedBy = (
  { open }: Pick<SourcePorts, 'open'>,
  organisationId: string,
  { id, settings, sealedSecret }: Connection,
): OpenConnection => ({ settings, secret: sealedSecret === null ? '' : open(organisationId, id, sealedSecret) });

function fetchFrom(
  { postgresql, s3, http }: SourcePorts['clients'],
  { settings, secret }: OpenConnection,
  source: ConnectionSource,
  into: FetchInto,
): Promise<FetchedSource> {
  if (settings.kind === 'POSTGRESQL' && source.kind === 'POSTGRESQL')
    return postgresql.fetch({ settings, secret }, source, into);
  if (settings.kind === 'S3' && source.kind === 'S3') return s3.fetch({ settings, secret }, source, into);
  if (settings.kind === 'HTTP' && source.kind === 'HTTP') return http.fetch({ settings, secret }, source, into);
  throw new Error('a dataset is read from a connection of another kind');
}

export function testOf({ postgresql, s3, http }: SourcePorts['clients'], opened: OpenConnection, signal: AbortSignal) {
  const { settings, secret } = opened;
  switch (settings.kind) {
    case 'POSTGRESQL':
      return postgresql.test({ settings, secret }, signal);
    case 'S3':
      return s3.test({ settings, secret }, signal);
    case 'HTTP':
      return http.test({ settings, secret }, signal);
  }
}

/** What else fails is this machine's, and no word about a connection. */
export function failureOf(error: unknown): SourceFailure {
  if (error instanceof SourceFailure) return error;
  if (error instanceof SecretUnreadable)
    return new SourceFailure('secret_unreadable', 'Its secret cannot be read any more: give it once more', error);
  if (error instanceof DomainError && error.kind === 'not_found')
    return new SourceFailure('connection_gone', 'There is no such connection any more', error);
  throw error;
}
