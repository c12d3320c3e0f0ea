import {
  discriminatorOf,
  fieldRules,
  isUnwrapped,
  levelsPassingRequestLimit,
  maxBytesOf,
  noRules,
  readOperations,
  type FieldRules,
  type Operation,
  type PermissionLevel,
} from '@platform-backend/contract';
import protobuf from 'protobufjs';
import { MAX_REQUEST } from './limits.ts';

/**
 * What clients of a released domain would notice of the options: routes that are gone or moved, operations that fewer may
 * call, requests that were good and would be refused. A sentence each. That messages and rpcs stay is for buf to see.
 */
export function narrowedSince(released: protobuf.Root, current: protobuf.Root, domain: string): string[] {
  const operations = new Map(readOperations(current).map((operation) => [operation.id, operation]));
  const before = readOperations(released).filter((operation) => operation.domain === domain);
  const kept = before.flatMap((operation): [Operation, Operation][] => {
    const now = operations.get(operation.id);
    return now ? [[operation, now]] : [];
  });
  return [
    ...before.filter(({ id }) => !operations.has(id)).flatMap((gone) => routeGone(gone)),
    ...kept.flatMap(([was, is]) =>
      was.http && !is.http ? routeGone(was) : [...changedRoute(was, is), ...narrowedAccess(was, is)],
    ),
    ...stoppedLevels(released, current),
    ...new RuleComparison().all(kept.map(([was, is]) => [was.requestType, is.requestType])),
  ];
}

const routeOf = ({ http }: Operation): string | undefined => http && `${http.verb} ${http.path}`;
const nameOf = (operation: Operation): string => routeOf(operation) ?? operation.id;
const text = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));

const ownRouteOf = ({ http }: Operation): string | undefined =>
  http?.ownPath === undefined ? undefined : `${http.verb} ${http.ownPath}`;

const routeGone = (operation: Operation): string[] =>
  [routeOf(operation), ownRouteOf(operation)].flatMap((route) =>
    route === undefined ? [] : [`${route} is gone: clients call it`],
  );

function changedRoute(was: Operation, is: Operation): string[] {
  if (!was.http || !is.http) return [];
  const route = nameOf(was);
  if (route !== nameOf(is)) return [`${route} has moved to ${nameOf(is)}: clients call it where it was`];
  const ownRoute = ownRouteOf(was);
  const isOwnGone = ownRoute !== undefined && ownRoute !== ownRouteOf(is);
  const parts = ['body', 'responseBody', 'status', 'contentType'] as const;
  return [
    ...(isOwnGone ? [`${ownRoute} is gone: clients call it`] : []),
    ...parts
      .filter((part) => was.http?.[part] !== is.http?.[part])
      .map((part) => `${route}: its ${part} was ${text(was.http?.[part])} and is ${text(is.http?.[part])}`),
  ];
}

const ranks: readonly (PermissionLevel | undefined)[] = [undefined, 'VIEWER', 'EDITOR', 'ADMIN', 'OWNER'];

function narrowedAccess(was: Operation, is: Operation): string[] {
  const name = nameOf(was);
  const [before, now] = [was.access, is.access];
  const problems = [
    ...before.credentials
      .filter((kind) => !now.credentials.includes(kind))
      .map((kind) => `no longer takes the credential ${kind}`),
    ...before.services
      .filter((service) => !now.services.includes(service))
      .map((service) => `may no longer be called by the service ${service}`),
  ];
  if (ranks.indexOf(now.level) > ranks.indexOf(before.level)) {
    problems.push(
      `asks for level ${text(now.level)} where ${before.level ? text(before.level) : 'any user'} was enough`,
    );
  }
  if (before.area !== now.area && before.credentials.some((kind) => kind.startsWith('API_KEY'))) {
    problems.push(`has moved from area ${text(before.area)} to ${text(now.area)}: scopes of keys no longer open it`);
  }
  if (now.writes && !before.writes && before.level === 'VIEWER')
    problems.push('no longer only reads: scopes of keys that read no longer open it');
  if (before.openable && !now.openable) problems.push('can no longer be opened to callers without a credential');
  if (now.spends !== undefined && before.spends !== now.spends)
    problems.push(`now spends credits of class ${now.spends}`);
  return problems.map((problem) => `${name} ${problem}`);
}

const stoppedLevels = (released: protobuf.Root, current: protobuf.Root): string[] => {
  const now = levelsPassingRequestLimit(current);
  return [...levelsPassingRequestLimit(released)]
    .filter((level) => !now.has(level))
    .map((level) => `people of level ${level} would be stopped by a used-up limit of requests`);
};

/** A rule by which a request may be refused: what it was and is, and whether that refuses more. */
interface Rule {
  readonly name: string;
  readonly was: unknown;
  readonly is: unknown;
  readonly refusesMore: boolean;
}

type Limit = number | undefined;
const atMost = (name: string, was: Limit, is: Limit): Rule => ({
  name,
  was,
  is,
  refusesMore: (is ?? Infinity) < (was ?? Infinity),
});
const atLeast = (name: string, was: Limit, is: Limit): Rule => ({
  name,
  was,
  is,
  refusesMore: (is ?? -Infinity) > (was ?? -Infinity),
});
/** What refuses nothing when it is absent, and else something of its own. */
const unlessGone = (name: string, was: unknown, is: unknown): Rule => ({
  name,
  was,
  is,
  refusesMore: is !== undefined && was !== is,
});
const same = (name: string, was: unknown, is: unknown): Rule => ({ name, was, is, refusesMore: was !== is });
/** Kinds that are taken, none meaning all. */
const kinds = (name: string, was: readonly string[], is: readonly string[]): Rule => ({
  name,
  was,
  is,
  refusesMore: is.length > 0 && (was.length === 0 || was.some((kind) => !is.includes(kind))),
});

function rulesOf(was: FieldRules, is: FieldRules): Rule[] {
  return [
    unlessGone('required', was.required || undefined, is.required || undefined),
    { name: 'nullable', was: was.nullable, is: is.nullable, refusesMore: was.nullable && !is.nullable },
    same('default_json', was.defaultJson, is.defaultJson),
    same('header', was.header, is.header),
    same('file', was.file, is.file),
    same('tag', was.tag, is.tag),
    unlessGone('required_when', was.requiredWhen, is.requiredWhen),
    atLeast('string.min_length', was.string?.minLength || undefined, is.string?.minLength || undefined),
    atMost('string.max_length', was.string?.maxLength, is.string?.maxLength),
    unlessGone('string.pattern', was.string?.pattern, is.string?.pattern),
    unlessGone('string.format', was.string?.format, is.string?.format),
    atLeast('integer.minimum', was.integer?.minimum, is.integer?.minimum),
    atMost('integer.maximum', was.integer?.maximum, is.integer?.maximum),
    atLeast('list.min_items', was.list?.minItems || undefined, is.list?.minItems || undefined),
    atMost('list.max_items', was.list?.maxItems, is.list?.maxItems),
    atMost('map.max_keys', was.map?.maxKeys, is.map?.maxKeys),
    atMost('map.max_key_length', was.map?.maxKeyLength, is.map?.maxKeyLength),
    kinds('json', was.json, is.json),
    atMost('json_max_bytes', was.jsonMaxBytes, is.jsonMaxBytes),
    atMost('bytes.max_length', was.bytes?.maxLength, is.bytes?.maxLength),
  ];
}

const sentence = (where: string, { name, was, is }: Rule): string =>
  `${where}: ${name} was ${text(was)} and is ${text(is)}, so requests that were good would be refused or read otherwise`;

/** Compares the rules of requests and of all messages in them, each message once. */
/** What says nothing of its size fits into this: what says it from now on refuses nothing that was good. */
const unsaidBytes = (is: protobuf.Type): number | undefined => (maxBytesOf(is) === undefined ? undefined : MAX_REQUEST);

class RuleComparison {
  readonly #seen = new Set<string>();

  all(pairs: readonly (readonly [protobuf.Type, protobuf.Type])[]): string[] {
    return pairs.flatMap(([was, is]) => this.#messages(was, is));
  }

  #messages(was: protobuf.Type, is: protobuf.Type): string[] {
    const name = was.fullName.slice(1);
    if (this.#seen.has(name) || !name.startsWith('platform.')) return [];
    this.#seen.add(name);
    const rules = [
      atMost('max_bytes', maxBytesOf(was) ?? unsaidBytes(is), maxBytesOf(is)),
      same('discriminator', discriminatorOf(was), discriminatorOf(is)),
      same('unwrapped', isUnwrapped(was), isUnwrapped(is)),
    ];
    const added = is.fieldsArray.filter(
      (field) => !Object.hasOwn(was.fields, field.name) && fieldRules(field).required,
    );
    return [
      ...refused(name, rules),
      ...added.map((field) => `${name}.${field.name} is new and required, so requests that were good would be refused`),
      ...was.fieldsArray.flatMap((field) => {
        const now = is.fields[field.name];
        return now ? this.#fields(`${name}.${field.name}`, field, now) : [];
      }),
    ];
  }

  #fields(where: string, was: protobuf.Field, is: protobuf.Field): string[] {
    const [before, now] = [fieldRules(was), fieldRules(is)];
    const items = rulesOf(before.list?.items ?? noRules, now.list?.items ?? noRules);
    const [typeBefore, typeNow] = [was.resolve().resolvedType, is.resolve().resolvedType];
    return [
      ...refused(where, rulesOf(before, now)),
      ...refused(`${where} (items)`, items),
      ...(typeBefore instanceof protobuf.Enum && typeNow instanceof protobuf.Enum
        ? refused(where, [kinds('values', Object.keys(typeBefore.values), Object.keys(typeNow.values))])
        : []),
      ...(typeBefore instanceof protobuf.Type && typeNow instanceof protobuf.Type
        ? this.#messages(typeBefore, typeNow)
        : []),
    ];
  }
}

const refused = (where: string, rules: readonly Rule[]): string[] =>
  rules.filter(({ refusesMore }) => refusesMore).map((rule) => sentence(where, rule));
