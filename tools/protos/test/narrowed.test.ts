import { describe, expect, it } from '@jest/globals';
import { fieldRules, loadProtos, protosDirectory, readOperations } from '@platform-backend/contract';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import protobuf from 'protobufjs';
import { domains } from '../src/domain-package.ts';
import { builtOf } from '../src/generated-files.ts';
import { rootOfImage } from '../src/image-root.ts';
import { narrowedSince } from '../src/narrowed.ts';

const released = `syntax = "proto3"; package platform.things.v1;
import "google/api/annotations.proto";
import "google/protobuf/struct.proto";
import "platform/options/v1/options.proto";
service ThingService {
  option (platform.options.v1.default_access) = {
    credentials: [CREDENTIAL_KIND_TOKEN, CREDENTIAL_KIND_API_KEY] level: PERMISSION_LEVEL_EDITOR area: AREA_DOCUMENTS
  };
  rpc ChangeThing(ChangeThingRequest) returns (Thing) {
    option (google.api.http) = {patch: "/things/{thing_id}/" body: "*"};
    option (platform.options.v1.access) = {services: ["billing", "content"] openable: true};
  }
  rpc FindThings(ChangeThingRequest) returns (Thing) {
    option idempotency_level = NO_SIDE_EFFECTS;
    option (google.api.http) = {post: "/things/search/" body: "*"};
    option (platform.options.v1.access) = {credentials: [CREDENTIAL_KIND_API_KEY_HEADER] level: PERMISSION_LEVEL_VIEWER area: AREA_SEARCH};
  }
  rpc WatchThings(ChangeThingRequest) returns (stream Thing) {
    option (google.api.http) = {post: "/things/search/" body: "*" additional_bindings {post: "/things/search/stream/" body: "*"}};
    option (platform.options.v1.access) = {credentials: [CREDENTIAL_KIND_API_KEY_HEADER] level: PERMISSION_LEVEL_VIEWER area: AREA_SEARCH};
  }
  rpc CountThings(ChangeThingRequest) returns (Thing) {
    option (platform.options.v1.access) = {services: ["billing"]};
  }
}
enum Colour { COLOUR_UNSPECIFIED = 0; COLOUR_RED = 1; COLOUR_BLUE = 2; }
message Thing { string id = 1 [(platform.options.v1.rules).string.max_length = 36]; }
message Part { string name = 1 [(platform.options.v1.rules).string.max_length = 50]; }
message Sound { bytes content = 1; }
message ChangeThingRequest {
  option (platform.options.v1.max_bytes) = 5000;
  string thing_id = 1 [(platform.options.v1.rules).string.max_length = 36];
  string name = 2 [(platform.options.v1.rules) = {nullable: true string: {min_length: 2 max_length: 120}}];
  int32 size = 3 [(platform.options.v1.rules) = {default_json: "5" integer: {minimum: 1 maximum: 10}}];
  repeated string tags = 4 [(platform.options.v1.rules) = {list: {min_items: 1 max_items: 9 items: {string: {max_length: 20}}}}];
  map<string, string> labels = 5 [(platform.options.v1.rules) = {map: {max_keys: 5 max_key_length: 30} string: {max_length: 9}}];
  google.protobuf.Value free = 6 [(platform.options.v1.rules) = {json: [JSON_KIND_STRING, JSON_KIND_NULL] json_max_bytes: 99}];
  Colour colour = 7;
  Part part = 8;
  string language = 9 [(platform.options.v1.rules) = {header: "Accept-Language" string: {max_length: 9}}];
  Sound sound = 10 [(platform.options.v1.rules).file = "sound"];
  bool loud = 11;
  string code = 12 [(platform.options.v1.rules) = {string: {max_length: 9}}];
  bytes raw = 13 [(platform.options.v1.rules).bytes.max_length = 1000];
}
`;

function rootOf(text: string): protobuf.Root {
  const directory = mkdtempSync(path.join(tmpdir(), 'things-'));
  try {
    mkdirSync(path.join(directory, 'platform/things/v1'), { recursive: true });
    writeFileSync(path.join(directory, 'platform/things/v1/things.proto'), text);
    return loadProtos(directory);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const before = rootOf(released);
/** What is refused when this becomes that. */
function refused(from: string, to: string): string[] {
  expect(released).toContain(from);
  return narrowedSince(before, rootOf(released.replace(from, to)), 'things');
}

const request = 'platform.things.v1.ChangeThingRequest';
const refusal = ', so requests that were good would be refused or read otherwise';
const route = 'PATCH /things/{thing_id}/';

describe('of the options, a change that clients would notice', () => {
  it.each([
    [
      'patch: "/things/{thing_id}/"',
      'put: "/things/{thing_id}/"',
      `${route} has moved to PUT /things/{thing_id}/: clients call it where it was`,
    ],
    ['option (google.api.http) = {patch: "/things/{thing_id}/" body: "*"};', '', `${route} is gone: clients call it`],
    ['rpc ChangeThing(', 'rpc AlterThing(', `${route} is gone: clients call it`],
    [
      ' additional_bindings {post: "/things/search/stream/" body: "*"}',
      '',
      'POST /things/search/stream/ is gone: clients call it',
    ],
    ['body: "*"', 'body: "part"', `${route}: its body was "*" and is "part"`],
    ['body: "*"', 'body: "*" response_body: "id"', `${route}: its responseBody was nothing and is "id"`],
    [
      'openable: true};',
      'openable: true}; option (platform.options.v1.http_answer) = {status: 201};',
      `${route}: its status was 200 and is 201`,
    ],
    [', CREDENTIAL_KIND_API_KEY]', ']', `${route} no longer takes the credential API_KEY`],
    ['PERMISSION_LEVEL_EDITOR', 'PERMISSION_LEVEL_ADMIN', `${route} asks for level "ADMIN" where "EDITOR" was enough`],
    ['["billing", "content"]', '["content"]', `${route} may no longer be called by the service billing`],
    [
      'AREA_DOCUMENTS',
      'AREA_REPORTS',
      `${route} has moved from area "documents" to "reports": scopes of keys no longer open it`,
    ],
    ['openable: true', '', `${route} can no longer be opened to callers without a credential`],
    [
      'option idempotency_level = NO_SIDE_EFFECTS;',
      '',
      'POST /things/search/ no longer only reads: scopes of keys that read no longer open it',
    ],
    ['openable: true', 'openable: true spends: CREDIT_CLASS_AI', `${route} now spends credits of class AI`],
  ])('is refused in who may call what: %s → %s', (from, to, sentence) => {
    expect(refused(from, to)).toEqual([sentence]);
  });

  it.each([
    ['max_bytes) = 5000', 'max_bytes) = 4000', `${request}: max_bytes was 5000 and is 4000`],
    [
      'message Sound { bytes',
      'message Sound { option (platform.options.v1.max_bytes) = 262143; bytes',
      'platform.things.v1.Sound: max_bytes was 262144 and is 262143',
    ],
    ['nullable: true string', 'string', `${request}.name: nullable was true and is false`],
    [
      'nullable: true string',
      'required: true nullable: true string',
      `${request}.name: required was nothing and is true`,
    ],
    ['min_length: 2', 'min_length: 3', `${request}.name: string.min_length was 2 and is 3`],
    ['max_length: 120', 'max_length: 119', `${request}.name: string.max_length was 120 and is 119`],
    ['max_length: 120', 'max_length: 120 pattern: "^a"', `${request}.name: string.pattern was nothing and is "^a"`],
    [
      'max_length: 120',
      'max_length: 120 format: STRING_FORMAT_UUID',
      `${request}.name: string.format was nothing and is "UUID"`,
    ],
    ['default_json: "5"', 'default_json: "6"', `${request}.size: default_json was "5" and is "6"`],
    ['minimum: 1', 'minimum: 2', `${request}.size: integer.minimum was 1 and is 2`],
    ['maximum: 10', 'maximum: 9', `${request}.size: integer.maximum was 10 and is 9`],
    ['min_items: 1', 'min_items: 2', `${request}.tags: list.min_items was 1 and is 2`],
    ['max_items: 9', 'max_items: 8', `${request}.tags: list.max_items was 9 and is 8`],
    ['max_length: 20', 'max_length: 19', `${request}.tags (items): string.max_length was 20 and is 19`],
    ['max_keys: 5', 'max_keys: 4', `${request}.labels: map.max_keys was 5 and is 4`],
    ['max_key_length: 30', 'max_key_length: 29', `${request}.labels: map.max_key_length was 30 and is 29`],
    [
      '[JSON_KIND_STRING, JSON_KIND_NULL]',
      '[JSON_KIND_STRING]',
      `${request}.free: json was ["STRING","NULL"] and is ["STRING"]`,
    ],
    ['json_max_bytes: 99', 'json_max_bytes: 98', `${request}.free: json_max_bytes was 99 and is 98`],
    [
      ' COLOUR_BLUE = 2;',
      '',
      `${request}.colour: values was ["UNSPECIFIED","RED","BLUE"] and is ["UNSPECIFIED","RED"]`,
    ],
    ['max_length = 50', 'max_length = 49', `platform.things.v1.Part.name: string.max_length was 50 and is 49`],
    ['"Accept-Language"', '"Language"', `${request}.language: header was "Accept-Language" and is "Language"`],
    ['file = "sound"', 'file = "audio"', `${request}.sound: file was "sound" and is "audio"`],
    [
      'code = 12 [(platform.options.v1.rules) = {',
      'code = 12 [(platform.options.v1.rules) = {required_when: "loud" ',
      `${request}.code: required_when was nothing and is "loud"`,
    ],
    ['bytes.max_length = 1000', 'bytes.max_length = 999', `${request}.raw: bytes.max_length was 1000 and is 999`],
  ])('is refused in what is valid: %s → %s', (from, to, sentence) => {
    expect(refused(from, to)).toEqual([sentence + refusal]);
  });

  it('is refused when a new field is required', () => {
    const added =
      'bool loud = 11; string shape = 20 [(platform.options.v1.rules) = {required: true string: {max_length: 5}}];';
    expect(refused('bool loud = 11;', added)).toEqual([
      `${request}.shape is new and required, so requests that were good would be refused`,
    ]);
  });
});

describe('of the options, a change that takes in more', () => {
  it.each([
    ['PERMISSION_LEVEL_EDITOR', 'PERMISSION_LEVEL_VIEWER'],
    ['[CREDENTIAL_KIND_TOKEN,', '[CREDENTIAL_KIND_ANONYMOUS, CREDENTIAL_KIND_TOKEN,'],
    ['["billing", "content"]', '["billing", "content", "notebooks"]'],
    ['max_bytes) = 5000', 'max_bytes) = 6000'],
    ['message Sound { bytes', 'message Sound { option (platform.options.v1.max_bytes) = 262144; bytes'],
    ['min_length: 2 ', ''],
    ['max_length: 120', 'max_length: 121'],
    ['integer: {minimum: 1 maximum: 10}', 'integer: {minimum: 0}'],
    ['json: [JSON_KIND_STRING, JSON_KIND_NULL] ', ''],
    ['COLOUR_BLUE = 2;', 'COLOUR_BLUE = 2; COLOUR_GREEN = 3;'],
    ['bool loud = 11;', 'bool loud = 11; string shape = 20 [(platform.options.v1.rules).string.max_length = 5];'],
    ['Thing { string id = 1 [(platform.options.v1.rules).string.max_length = 36]', 'Thing { string id = 1'],
  ])('is nobody’s loss: %s → %s', (from, to) => {
    expect(refused(from, to)).toEqual([]);
  });
});

describe('an image of the contract', () => {
  it('says what the .proto files say', () => {
    const [ofImage, ofFiles] = [rootOfImage(builtOf(protosDirectory)), loadProtos(protosDirectory)];
    const shown = (root: protobuf.Root) =>
      readOperations(root)
        .map(({ id, access, http, requestType }) => {
          const rules = requestType.fieldsArray.map((field) => [field.name, fieldRules(field)] as const);
          return { id, access, http, rules: Object.fromEntries(rules) };
        })
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    expect(shown(ofImage)).toEqual(shown(ofFiles));
    for (const domain of domains()) {
      expect(narrowedSince(ofImage, ofFiles, domain)).toEqual([]);
      expect(narrowedSince(ofFiles, ofImage, domain)).toEqual([]);
    }
  });
});
