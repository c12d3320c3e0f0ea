import path from 'node:path';
import protobuf from 'protobufjs';
import { SHARED_EVENT_FILES } from './domain-contract.ts';
import { eventOf, eventPublishersOf } from './options/message-options.ts';

/** An event that a domain publishes. */
export interface EventDefinition {
  readonly domain: string;
  /** `platform.v1.identity.client_group.updated`: the NATS subject as well. */
  readonly type: string;
  /** The message that its data are. */
  readonly payload: protobuf.Type;
}

/** Every event of the loaded files, in their order; those that domains share once for each that publishes them, after its own. */
export function readEvents(root: protobuf.Root): EventDefinition[] {
  const messages = root.lookup('platform.events.v1');
  if (!(messages instanceof protobuf.Namespace)) return [];
  const payloads = messages.nestedArray.filter((message) => message instanceof protobuf.Type);
  const shared = payloads.filter(isSharedEvent);
  const domains = new Map<string, protobuf.Type[]>();
  for (const payload of payloads.filter((message) => !isSharedEvent(message) && eventOf(message) !== undefined)) {
    const domain = path.basename(payload.filename ?? '', '.proto');
    domains.set(domain, [...(domains.get(domain) ?? []), payload]);
  }
  return [...domains].flatMap(([domain, own]) =>
    [...own, ...shared.filter((payload) => isPublishedBy(payload, domain))].map((payload) => ({
      domain,
      type: `platform.v1.${domain}.${String(eventOf(payload))}`,
      payload,
    })),
  );
}

/** Whether it is of no domain alone. */
export const isSharedEvent = (payload: protobuf.Type): boolean =>
  eventOf(payload) !== undefined && SHARED_EVENT_FILES.some((file) => payload.filename?.endsWith(file));

/** Whether a domain is among those that publish an event which domains share. */
export const isPublishedBy = (shared: protobuf.Type, domain: string): boolean =>
  eventPublishersOf(shared)?.includes(domain) ?? true;
