import { loadContract, type DomainContract } from '@platform-backend/contract';
import { asyncApi } from '@platform-backend/contract/http';
import pg from 'pg';
import { schemaChecks, type SchemaCheck } from '../schema-checks.ts';
import type { TestDatabase } from './test-database.ts';

/** What a service has published, in the order of appending. */
export async function publishedEvents(database: TestDatabase): Promise<PublishedEvent[]> {
  if (!('adminUrl' in database)) return (await import('@platform-backend/mongo/testing')).recordedEvents(database.url);
  const admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  try {
    const { rows } = await admin.query<{ envelope: PublishedEvent }>('SELECT envelope FROM outbox ORDER BY sequence');
    return rows.map(({ envelope }) => envelope);
  } finally {
    await admin.end();
  }
}

export interface PublishedEvent {
  readonly type: string;
  readonly organisationid: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Every type of event that a domain may publish. */
export const eventTypesOf = (contract: DomainContract): string[] =>
  loadContract(contract).events.map(({ type }) => type);

/**
 * What is wrong with published events, a line each. They must be what `/asyncapi.json` says, and have no field beyond:
 * others may come with later versions, but not before the contract has them.
 */
export function misfits(contract: DomainContract, events: readonly PublishedEvent[]): string[] {
  const check = checksOf(contract);
  return events.flatMap((event) => {
    const wrong = check(`/components/messages/${event.type}/payload`, event);
    return wrong === undefined ? [] : [`${event.type}: ${wrong} in ${JSON.stringify(event)}`];
  });
}

/** Compiled once for all test files of a process. */
const compiled = new Map<DomainContract, SchemaCheck>();

function checksOf(contract: DomainContract): SchemaCheck {
  const known = compiled.get(contract);
  if (known) return known;
  const document = asyncApi(loadContract(contract));
  const check = schemaChecks(JSON.parse(JSON.stringify(document), withoutFurtherFields) as object);
  compiled.set(contract, check);
  return check;
}

/** Closes the objects that list what is required of them, as all schemas of messages do. */
const withoutFurtherFields = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'properties' in value && 'required' in value
    ? { ...value, additionalProperties: false }
    : value;
