import { describe, expect, it } from '@jest/globals';
import { loadProtos, protosDirectory, readOperations } from '@platform-backend/contract';
import protobuf from 'protobufjs';
import { lackingLimits } from './limits.ts';

describe('the requests of the platform', () => {
  it('all have limits: whatever comes in, and may be stored, is of a known size', () => {
    expect(lackingLimits(readOperations(loadProtos(protosDirectory)))).toEqual([]);
  });
});

describe('a request', () => {
  /** What is missing in a request with these fields. */
  const lacking = (fields: string, more = ''): string[] => {
    const text = `syntax = "proto3"; package platform.things.v1;
      import "google/protobuf/field_mask.proto";
      import "google/protobuf/struct.proto";
      import "google/protobuf/timestamp.proto";
      enum Kind { KIND_UNSPECIFIED = 0; KIND_ONE = 1; }
      message Request { ${fields} }
      ${more}
      message Answer { string text = 1; }
      service ThingService {
        rpc Do(Request) returns (Answer) {
          option (platform.options.v1.access) = {services: ["gateway"]};
        }
      }`;
    const { root } = protobuf.parse(text, new protobuf.Root(), { keepCase: true });
    for (const file of ['field_mask', 'struct', 'timestamp']) {
      root.addJSON(protobuf.common.get(`google/protobuf/${file}.proto`)?.nested ?? {});
    }
    root.resolveAll();
    return lackingLimits(readOperations(root));
  };
  const rules = '(platform.options.v1.rules)';

  it.each([
    ['a text', 'string a = 1;', 'string.max_length'],
    ['an optional text', 'optional string a = 1;', 'string.max_length'],
    [
      'a text with a format that says nothing of its length',
      `string a = 1 [${rules}.string.format = STRING_FORMAT_CRON];`,
      'string.max_length',
    ],
    ['a text with an endless pattern', `string a = 1 [${rules}.string.pattern = "^[a-z]+$"];`, 'string.max_length'],
    [
      'a text with a pattern that may match anywhere',
      `string a = 1 [${rules}.string.pattern = "[a-z]"];`,
      'string.max_length',
    ],
    ['a list of numbers', 'repeated int32 a = 1;', 'list.max_items'],
    ['a list of messages', 'repeated google.protobuf.Timestamp a = 1;', 'list.max_items'],
    ['the texts of a list', `repeated string a = 1 [${rules}.list.max_items = 3];`, 'string.max_length'],
    ['the keys of a map', `map<string, int32> a = 1 [${rules}.map.max_keys = 3];`, 'map.max_key_length'],
    ['the number of keys', `map<string, int32> a = 1 [${rules}.map.max_key_length = 3];`, 'map.max_keys'],
    [
      'the values of a map',
      `map<string, string> a = 1 [${rules}.map = {max_keys: 3 max_key_length: 3}];`,
      'string.max_length',
    ],
    ['free JSON', 'google.protobuf.Value a = 1;', 'json_max_bytes'],
    ['a free object', 'google.protobuf.Struct a = 1;', 'json_max_bytes'],
    [
      'free JSON that may be a text',
      `google.protobuf.Value a = 1 [${rules}.json = JSON_KIND_STRING];`,
      'json_max_bytes',
    ],
  ])('has to limit %s', (_name, fields, rule) => {
    expect(lacking(fields)).toEqual([`platform.things.v1.Request.a has no limit: give it ${rule}`]);
  });

  it('has to limit what the messages in it hold, each told once', () => {
    const inner = 'message Inner { string a = 1; Inner inner = 2; }';
    expect(lacking(`Inner inner = 1; repeated Inner more = 2 [${rules}.list.max_items = 2];`, inner)).toEqual([
      'platform.things.v1.Inner.a has no limit: give it string.max_length',
      expect.stringContaining('platform.things.v1.Request may have any number of bytes'),
    ]);
  });

  it.each([
    [
      'numbers, times, enums and masks',
      'int64 a = 1; google.protobuf.Timestamp b = 2; Kind c = 3; google.protobuf.FieldMask d = 4;',
    ],
    ['a UUID', `string a = 1 [${rules}.string.format = STRING_FORMAT_UUID];`],
    ['an e-mail address', `string a = 1 [${rules}.string.format = STRING_FORMAT_EMAIL];`],
    ['a cursor', `string a = 1 [${rules}.string.format = STRING_FORMAT_CURSOR];`],
    [
      'a text with a pattern of so many characters',
      `string a = 1 [${rules}.string.pattern = "^[A-Z]{3}-\\\\d{1,4}$"];`,
    ],
    ['JSON that is a number', `google.protobuf.Value a = 1 [${rules} = {json: [JSON_KIND_INTEGER, JSON_KIND_NULL]}];`],
    ['bytes, which the transport limits', 'bytes a = 1;'],
  ])('need not limit %s', (_name, fields) => {
    expect(lacking(fields)).toEqual([]);
  });

  it('that may be large has to limit its bytes as well', () => {
    const fields = `repeated string a = 1 [${rules}.list = {max_items: 1000 items: {string: {max_length: 100}}}];`;
    expect(lacking(fields)).toEqual([
      'platform.things.v1.Request may have 407000 bytes: give it (platform.options.v1.max_bytes)',
    ]);
    expect(lacking(`option (platform.options.v1.max_bytes) = 262144; ${fields}`)).toEqual([]);
  });
});
