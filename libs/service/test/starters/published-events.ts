import { loadContract, type DomainContract } from '@platform-backend/contract';
import { asyncApi } from '@platform-backend/contract/http';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import pg from 'pg';
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
  const ajv = checksOf(contract);
  return events.flatMap((event) => {
    const check = ajv.getSchema(`events#/components/messages/${event.type}/payload`);
    if (!check) return [`${event.type} is not in the contract`];
    return check(event) ? [] : [`${event.type}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(event)}`];
  });
}

/** Compiled once for all test files of a process. */
const compiled = new Map<DomainContract, Ajv2020>();

function checksOf(contract: DomainContract): Ajv2020 {
  const known = compiled.get(contract);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  const document = asyncApi(loadContract(contract));
  ajv.addSchema(JSON.parse(JSON.stringify(document), withoutFurtherFields) as object, 'events');
  compiled.set(contract, ajv);
  return ajv;
}

/** Closes the objects that list what is required of them, as all schemas of messages do. */
const withoutFurtherFields = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'properties' in value && 'required' in value
    ? { ...value, additionalProperties: false }
    : value;
