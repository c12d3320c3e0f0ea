import { fieldRules, readEvents, readOperations } from '@platform-backend/contract';
import {
  bytesExample,
  fieldDocumentation,
  hasExample,
  wholeBodies,
  type BoundOperation,
} from '@platform-backend/contract/http';
import protobuf from 'protobufjs';

/**
 * One sentence for each operation over HTTP, each field that one of them takes or answers, and each event and field of it, of
 * which the documents would say nothing; and for each text of a request or an answer, and each body of bytes, that they could show
 * no example of.
 */
export function lackingDocumentation(root: protobuf.Root): string[] {
  const operations = readOperations(root);
  const events = readEvents(root);
  const documentation = fieldDocumentation({ root, operations });
  const bound = operations.filter((operation): operation is BoundOperation => operation.http !== undefined);
  const overHttp = reachable(bound.flatMap(({ requestType, responseType }) => [requestType, responseType]));
  const envelope = root.lookup('platform.events.v1.Envelope');
  const inEvents = reachable([
    ...events.map(({ payload }) => payload),
    ...(envelope instanceof protobuf.Type ? [envelope] : []),
  ]);
  const silentOperations = bound
    .filter(({ comment }) => !comment)
    .map(({ id }) => `${id} has no comment: say what it does`);
  const inWords = bound.flatMap(({ id, comment = '' }) => {
    const [, word] = STATUS_IN_WORDS.exec(comment) ?? [];
    return word === undefined
      ? []
      : [`${id} says ${word} in words: give it the option (platform.options.v1.errors), which the documents show`];
  });
  const withoutRefusal = bound
    .filter(
      ({ http, errors: said }) =>
        http.pathFields.some((name) => !isMadeByPut(http.verb, name)) &&
        !said.some(({ status }) => status === 403 || status === 404),
    )
    .map(
      ({ id }) =>
        `${id} has ids in its path, and does not say by (platform.options.v1.errors) how unknown ones are refused`,
    );
  const silentEvents = events
    .filter(({ payload }) => !payload.comment)
    .map(({ payload }) => `${nameOf(payload)} has no comment: say what has happened`);
  const silentFields = [...new Set([...overHttp, ...inEvents])]
    .filter((field) => documentation.description(field) === undefined)
    .map(
      (field) =>
        `${nameOf(field)} has no comment: say what it means, there or in RecurringFields of its package (recurring_fields.proto)`,
    );
  const withoutExample = [...overHttp]
    .filter((field) => isPlainText(field) && documentation.example(field) === undefined)
    .map(
      (field) =>
        `${nameOf(field)} has no example: give it (platform.options.v1.example_json), there or in RecurringFields of its package`,
    );
  const withoutContent = bound
    .flatMap(wholeBodies)
    .flatMap(([field, mediaType]) =>
      bytesExample(documentation.example(field), mediaType) === undefined
        ? [
            `${nameOf(field)} has no example of ${mediaType}: give it (platform.options.v1.example_json), a text or one for each media type`,
          ]
        : [],
    );
  return [
    ...new Set([...silentOperations, ...inWords, ...withoutRefusal, ...silentEvents]),
    ...silentFields,
    ...withoutExample,
    ...new Set(withoutContent),
  ];
}

/** A PUT makes what its caller names, and refuses no name as unknown; ids are given by the platform. */
const isMadeByPut = (verb: string, field: string): boolean => verb === 'PUT' && field === 'name';

const STATUS_IN_WORDS =
  /\b(ACCEPTED|MALFORMED|PAYMENT_REQUIRED|FORBIDDEN|NOT_FOUND|CONFLICT|TOO_LARGE|UNSUPPORTED_MEDIA|INVALID|RATE_LIMITED|UNAVAILABLE): /;

/** The fields of messages and of those in them, field masks aside: the gateway fills these. */
function reachable(types: readonly protobuf.Type[]): ReadonlySet<protobuf.Field> {
  const fields = new Set<protobuf.Field>();
  const seen = new Set<protobuf.Type>();
  const add = (type: protobuf.Type): void => {
    if (seen.has(type) || !type.fullName.startsWith('.platform.')) return;
    seen.add(type);
    for (const field of type.fieldsArray) {
      const { resolvedType } = field.resolve();
      if (resolvedType?.fullName === '.google.protobuf.FieldMask') continue;
      fields.add(field);
      if (resolvedType instanceof protobuf.Type) add(resolvedType);
    }
  };
  types.forEach(add);
  return fields;
}

/** Whether it is a text that may be anything, without a value that stands for it. */
function isPlainText(field: protobuf.Field): boolean {
  const rules = fieldRules(field);
  const { string } = rules.list?.items ?? rules;
  return field.type === 'string' && rules.defaultJson === undefined && !hasExample(field.name, string);
}

const nameOf = (declared: protobuf.ReflectionObject): string => declared.fullName.slice(1);
