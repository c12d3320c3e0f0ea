import { newId, storableJson, type Fields } from '@platform-backend/core';
import { traceParentOfNow } from './event-tracing.ts';
import type { DeliveredEvent, Event, EventActor } from './event.ts';

/**
 * CloudEvents 1.0, structured JSON mode: what is stored in the outbox and travels over NATS.
 * Described in protos/platform/events/v1/envelope.proto. Extension attributes are lower-case by rule.
 */
export interface CloudEvent {
  specversion: '1.0';
  id: string;
  source: string;
  type: string;
  subject: string;
  /** RFC 3339, UTC. */
  time: string;
  datacontenttype: 'application/json';
  organisationid: string;
  actorkind?: string;
  actorid?: string;
  actorname?: string;
  onbehalfofid?: string;
  onbehalfofname?: string;
  requestid?: string;
  /** Of the extension for distributed tracing. */
  traceparent?: string;
  data: Fields;
}

export const EVENT_TYPE = /^platform\.v1\.([a-z][a-z0-9_]*)\.[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*$/;

/** Throws on an event that breaks the rules of its kind: that is a defect of the service, found by its first test. */
export function toCloudEvent(event: Event): CloudEvent {
  const domain = EVENT_TYPE.exec(event.type)?.[1];
  if (domain === undefined) throw new Error(`"${event.type}" is not an event type (platform.v1.domain.entity.verb)`);
  if (event.organisationId === '') throw new Error(`an event of type ${event.type} needs an organisation`);
  if (event.subject === '') throw new Error(`an event of type ${event.type} needs a subject`);
  const traceParent = event.traceParent ?? traceParentOfNow();
  return {
    specversion: '1.0',
    id: event.id ?? newId(),
    source: `/platform/${domain}`,
    type: event.type,
    subject: event.subject,
    time: event.time.toISOString(),
    datacontenttype: 'application/json',
    organisationid: event.organisationId,
    ...(event.actor && { actorkind: event.actor.type, actorid: event.actor.id }),
    ...(event.actor?.name !== undefined && { actorname: event.actor.name }),
    ...(event.actor?.onBehalfOf && {
      onbehalfofid: event.actor.onBehalfOf.id,
      onbehalfofname: event.actor.onBehalfOf.name,
    }),
    ...(event.requestId !== undefined && { requestid: event.requestId }),
    ...(traceParent !== undefined && { traceparent: traceParent }),
    data: event.data,
  };
}

/** Bytes of JSON, half of what NATS takes by default. The limits of the contract keep events far below it. */
const MAX_EVENT_BYTES = 512 * 1024;

/**
 * The JSON that is stored in the outbox and published. Throws on an event that is too large: the change that appends it
 * then does not happen, where it would otherwise happen unheard.
 */
export function encodeEvent(event: Event): string {
  const json = storableJson(toCloudEvent(event));
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_EVENT_BYTES) {
    throw new Error(`an event of type ${event.type} has ${bytes} bytes, more than ${MAX_EVENT_BYTES}`);
  }
  return json;
}

/** Reads what arrived. Unknown attributes are ignored, so that newer services may add some. Throws on anything else. */
export function parseCloudEvent(json: string): DeliveredEvent {
  const value: unknown = JSON.parse(json);
  if (!isRecord(value)) throw new Error('not a JSON object');
  if (value['specversion'] !== '1.0') throw new Error('not a CloudEvent of version 1.0');
  const time = new Date(text(value, 'time'));
  if (Number.isNaN(time.getTime())) throw new Error('the attribute time is not a time');
  if (!isRecord(value['data'])) throw new Error('the data is not a JSON object');
  const actor = actorOf(value);
  const { requestid: requestId, traceparent: traceParent } = value;
  return {
    id: text(value, 'id'),
    source: text(value, 'source'),
    type: text(value, 'type'),
    organisationId: text(value, 'organisationid'),
    subject: text(value, 'subject'),
    time,
    data: value['data'],
    ...(actor && { actor }),
    ...(typeof requestId === 'string' && { requestId }),
    ...(typeof traceParent === 'string' && { traceParent }),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function text(value: Record<string, unknown>, name: keyof CloudEvent): string {
  const found = value[name];
  if (typeof found !== 'string' || found === '') throw new Error(`the attribute ${name} is missing`);
  return found;
}

function actorOf(value: Record<string, unknown>): EventActor | undefined {
  const { actorkind: type, actorid: id, actorname: name, onbehalfofid: userId, onbehalfofname: userName } = value;
  if ((type !== 'user' && type !== 'api_key' && type !== 'service') || typeof id !== 'string') return undefined;
  return {
    type,
    id,
    ...(typeof name === 'string' && { name }),
    ...(typeof userId === 'string' && typeof userName === 'string' && { onBehalfOf: { id: userId, name: userName } }),
  };
}
