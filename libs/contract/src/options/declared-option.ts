import type { ReflectionObject, Type } from 'protobufjs';

/** An option as written in the .proto file: names in snake_case, enum values as full names. */
type RawOption = Record<string, unknown>;

export const optionsPackage = 'platform.options.v1';

/**
 * The value of an option of ours on a declaration, all its parts merged.
 * protobufjs keeps `(rules).a = 1, (rules).b = 2` and repeated options as separate entries.
 */
export function rawOption(declared: ReflectionObject, name: string): unknown {
  const key = `(${name})`;
  let merged: unknown;
  // parsedOptions has no type for its content; its shape is fixed by protobufjs's parser.
  for (const entry of (declared.parsedOptions ?? []) as RawOption[]) {
    if (Object.hasOwn(entry, key)) merged = merge(merged, entry[key]);
  }
  return merged;
}

/** The values of a repeated option. */
export const rawOptions = (declared: ReflectionObject, name: string): unknown[] =>
  ((declared.parsedOptions ?? []) as RawOption[]).flatMap((entry) => entry[`(${name})`] ?? []);

function merge(earlier: unknown, later: unknown): unknown {
  if (!isRecord(earlier) || !isRecord(later)) return later;
  const merged: RawOption = { ...earlier };
  for (const [name, value] of Object.entries(later)) merged[name] = merge(merged[name], value);
  return merged;
}

function isRecord(value: unknown): value is RawOption {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function textOption(type: Type, name: string): string | undefined {
  const value = rawOption(type, `${optionsPackage}.${name}`);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

export function withoutPrefix(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

interface OptionReader {
  has(name: string): boolean;
  flag(name: string): boolean;
  list(name: string): string[];
  text<Key extends string>(name: string, key: Key): { [K in Key]?: string };
  /** An enum value, its prefix dropped. */
  name(name: string, prefix: string): string | undefined;
  number<Key extends string>(name: string, key: Key): { [K in Key]?: number };
  nested<Key extends string, Part>(name: string, key: Key, read: (raw: unknown) => Part): { [K in Key]?: Part };
  part<Key extends string, Part>(name: string, key: Key, read: (part: OptionReader) => Part): { [K in Key]?: Part };
  /** protobufjs checks no option names, so a misspelt rule would silently not apply. */
  refuseUnread(): void;
}

/** `{ key: value }`, or nothing to spread when there is no value. */
export function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value };
}

export function reader(option: unknown, where: string): OptionReader {
  if (option !== undefined && !isRecord(option)) throw new Error(`${where}: an option is set twice or is no message`);
  const raw = option ?? {};
  const readNames = new Set<string>();
  const take = (name: string): unknown => {
    readNames.add(name);
    return raw[name];
  };
  const refuseUnread = (): void => {
    const unknown = Object.keys(raw).filter((name) => !readNames.has(name));
    if (unknown.length > 0) throw new Error(`${where} has an unknown option: ${unknown.join(', ')}`);
  };
  return {
    has: (name) => raw[name] !== undefined,
    flag: (name) => take(name) === true,
    // A repeated option with one value is a scalar for protobufjs.
    list: (name) => {
      const value = take(name);
      return value === undefined ? [] : (Array.isArray(value) ? value : [value]).map(String);
    },
    text: (name, key) => {
      const value = take(name);
      return optional(key, typeof value === 'string' && value !== '' ? value : undefined);
    },
    name: (name, prefix) => {
      const value = take(name);
      return typeof value === 'string' ? withoutPrefix(value, prefix) : undefined;
    },
    number: (name, key) => {
      const value = take(name);
      return optional(key, value === undefined ? undefined : Number(value));
    },
    nested: (name, key, read) => {
      const value = take(name);
      return optional(key, value === undefined ? undefined : read(value));
    },
    part: (name, key, read) => {
      const value = take(name);
      if (value === undefined) return {};
      const part = reader(value, `${where} (${name})`);
      const result = read(part);
      part.refuseUnread();
      return optional(key, result);
    },
    refuseUnread,
  };
}
