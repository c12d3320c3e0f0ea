import { existsSync } from 'node:fs';
import path from 'node:path';
import { protoFiles, protosDirectory } from './load.ts';

/** Where the contract of one domain is: `@platform-backend/contract-<domain>` exports its own. */
export interface DomainContract<Handlers extends object = object> {
  /** `identity` */
  readonly domain: string;
  /** The compiled .proto files of the domain itself (a FileDescriptorSet). */
  readonly image: string;
  /** Domains whose messages it uses. */
  readonly uses?: readonly DomainContract[];
  /** In types alone: what handles each of its services, whatever the context of its calls is. */
  readonly handlers?: Handlers;
}

/** What every domain with events has: the events that domains share, the envelope of all, and what their fields mean. */
export const SHARED_EVENT_FILES = [
  'platform/events/v1/audit.proto',
  'platform/events/v1/debits.proto',
  'platform/events/v1/envelope.proto',
  'platform/events/v1/recurring_fields.proto',
] as const;

/** The .proto files of a domain: its operations, and the payloads of its events where it has any. */
export function filesOfDomain(domain: string): string[] {
  const events = `platform/events/v1/${domain}.proto`;
  const hasEvents = existsSync(path.join(protosDirectory, events));
  return [...protoFiles(protosDirectory, domain), ...(hasEvents ? [events, ...SHARED_EVENT_FILES] : [])];
}
