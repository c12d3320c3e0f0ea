import { Parser } from '@asyncapi/parser';
import { describe, expect, it } from '@jest/globals';
import { loadProtos, protosDirectory } from '@platform-backend/contract';
import { asyncApi } from '@platform-backend/contract/http';
import type { JsonObject, JsonValue } from '@platform-backend/contract/messages';
import { loadPlatformContract } from '@platform-backend/contracts';
import protobuf from 'protobufjs';
import { generateTypes } from '../src/generate-types.ts';

const contract = loadPlatformContract();
const document = asyncApi(contract);

function at(...path: string[]): JsonObject {
  return path.reduce<JsonValue>((value, key) => (value as JsonObject)[key] ?? {}, document) as JsonObject;
}

describe('the AsyncAPI description', () => {
  it('is valid AsyncAPI 3.0 to the parser of its authors', async () => {
    const { document: parsed, diagnostics } = await new Parser().parse(JSON.stringify(document));
    // From severity 2 on they are suggestions: to take a newer version, to name a server.
    expect(diagnostics.filter(({ severity }) => (severity as number) < 2)).toEqual([]);
    expect(parsed?.version()).toBe('3.0.0');
    expect(parsed?.operations().filterBySend()).toHaveLength(contract.events.length);
  });

  it('has every message of a domain that is no part of another, on its NATS subject', () => {
    const declared = loadProtos(protosDirectory).lookup('platform.events.v1') as protobuf.Namespace;
    const messages = declared.nestedArray.filter((message) => message instanceof protobuf.Type);
    const parts = new Set(messages.flatMap(({ fieldsArray }) => fieldsArray.map(({ resolvedType }) => resolvedType)));
    const unpublished = new Set(['Envelope', 'RecurringFields']);
    const published = messages.filter((message) => !parts.has(message) && !unpublished.has(message.name));
    const titles = Object.values(at('components', 'messages')).map((message) => (message as JsonObject)['title']);
    // What every domain publishes is there once for each.
    expect([...new Set(titles)].sort()).toEqual(published.map(({ name }) => name).sort());
    const audited = contract.events.filter(({ type }) => type.endsWith('.audit.recorded'));
    expect(audited.map(({ domain }) => domain)).toEqual([...new Set(contract.events.map(({ domain }) => domain))]);
    for (const { domain, type } of contract.events) {
      expect(at('channels', type)['address']).toBe(type);
      expect(type).toMatch(new RegExp(`^platform\\.v1\\.${domain}\\.[a-z_]+\\.[a-z_]+$`));
    }
  });

  it('agrees with the generated types about every kind of field', () => {
    const kinds = ['string', 'bytes', 'bool', 'int32', 'uint64', 'int64', 'sint64', 'fixed64', 'double'];
    const source = `
      syntax = "proto3";
      package platform.events.v1;
      message Envelope {}
      message Counted {
        option (platform.options.v1.event) = "thing.counted";
        ${kinds.map((kind, at) => `${kind} a_${kind} = ${at + 1};`).join('\n')}
      }`;
    const { root } = protobuf.parse(source, { keepCase: true });
    const payload = root.lookupType('platform.events.v1.Counted');
    payload.filename = 'platform/events/v1/sample.proto';
    root.define('platform.sample.v1');
    const types = generateTypes(root, 'sample').get('events.ts') ?? '';
    const events = [{ domain: 'sample', type: 'platform.v1.sample.thing.counted', payload }];
    const described = asyncApi({ ...contract, root, events }) as {
      components: { schemas: { Counted: { properties: JsonObject } } };
    };
    const { properties } = described.components.schemas.Counted;
    const inTypes = kinds.map((kind) => new RegExp(`a_${kind}: (\\w+);`).exec(types)?.[1]);
    const asType = (schema: JsonValue = null) => (schema as { type: string }).type.replace('integer', 'number');
    expect(inTypes).toEqual(kinds.map((kind) => asType(properties[`a_${kind}`])));
  });

  it('describes the envelope with its extension attributes, and the payload with its comments', () => {
    const type = 'platform.v1.identity.client_group.updated';
    expect(at('components', 'messages', type)).toMatchObject({
      summary: expect.stringMatching(/^Also when members/),
      payload: {
        allOf: [
          { $ref: '#/components/schemas/Envelope' },
          { properties: { type: { const: type }, data: { $ref: '#/components/schemas/ClientGroupUpdated' } } },
        ],
      },
    });
    const envelope = at('components', 'schemas', 'Envelope');
    expect(envelope['required']).toEqual(expect.arrayContaining(['id', 'type', 'time', 'organisationid', 'data']));
    expect(envelope['required']).not.toContain('actorid');
    expect(at('components', 'schemas', 'Envelope', 'properties')).toMatchObject({
      organisationid: { type: 'string', description: expect.stringContaining('organisation') },
      actorkind: { type: 'string' },
    });
    expect(at('components', 'schemas', 'ClientGroupUpdated')).toMatchObject({
      required: ['client_group_id', 'changed_fields', 'group'],
      properties: {
        group: { anyOf: [{ $ref: '#/components/schemas/ClientGroupState' }, { type: 'null' }] },
      },
    });
  });
});
