import type { Contract } from '../contract.ts';
import type { EventDefinition } from '../events.ts';
import type { JsonObject } from '../json-values.ts';
import { fieldDocumentation } from './field-documentation.ts';
import { apiVersion } from './openapi-components.ts';
import { SchemaCollection } from './openapi-schemas.ts';

/** The AsyncAPI 3.0 description of every event of the contract. */
export function asyncApi(contract: Contract): JsonObject {
  const schemas = new SchemaCollection(fieldDocumentation(contract));
  const { events } = contract;
  const each = (describe: (event: EventDefinition) => JsonObject): JsonObject =>
    Object.fromEntries(events.map((event) => [event.type, describe(event)]));
  const messages = each((event) => message(event, schemas));
  if (events.length > 0) schemas.message(contract.root.lookupType('platform.events.v1.Envelope'), 'answer');
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Platform Backend Events',
      version: apiVersion,
      description:
        'What has happened on the platform, as CloudEvents 1.0 in structured JSON over NATS JetStream. Events arrive at ' +
        'least once, perhaps late, perhaps out of order.',
    },
    defaultContentType: 'application/cloudevents+json',
    channels: each(({ type }) => ({ address: type, messages: { [type]: { $ref: `#/components/messages/${type}` } } })),
    operations: each(({ domain, type }) => ({
      action: 'send',
      channel: { $ref: `#/channels/${type}` },
      messages: [{ $ref: `#/channels/${type}/messages/${type}` }],
      tags: [{ name: domain }],
    })),
    components: { messages, schemas: schemas.schemas },
  };
}

function message({ domain, type, payload }: EventDefinition, schemas: SchemaCollection): JsonObject {
  return {
    name: type,
    title: payload.name,
    ...(payload.comment && { summary: payload.comment }),
    headers: {
      type: 'object',
      properties: { 'Nats-Msg-Id': { type: 'string', format: 'uuid', description: 'The id of the event.' } },
    },
    payload: {
      allOf: [
        { $ref: '#/components/schemas/Envelope' },
        {
          type: 'object',
          properties: {
            specversion: { const: '1.0' },
            source: { const: `/platform/${domain}` },
            type: { const: type },
            time: { format: 'date-time' },
            datacontenttype: { const: 'application/json' },
            data: schemas.message(payload, 'answer'),
          },
        },
      ],
    },
  };
}
