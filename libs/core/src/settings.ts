import type { Setting, Settings } from './configuration.ts';
import { LOG_LEVELS, type LogLevel } from './log-level.ts';

type Options<T> = Pick<Setting<T>, 'description' | 'defaultDescription'> & { default?: T };

const withOptions = <T>(
  setting: Setting<T>,
  { default: value, description, defaultDescription }: Options<T>,
): Setting<T> => ({
  ...setting,
  ...(value !== undefined && { fallback: { value } }),
  ...(description !== undefined && { description }),
  ...(defaultDescription !== undefined && { defaultDescription }),
});

/** A whole number; both bounds are inclusive. */
export function integer(options: Options<number> & { min?: number; max?: number } = {}): Setting<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = options;
  const bounds =
    options.min !== undefined && options.max !== undefined
      ? ` from ${options.min} to ${options.max}`
      : options.min !== undefined
        ? ` of at least ${options.min}`
        : options.max !== undefined
          ? ` of at most ${options.max}`
          : '';
  return withOptions(
    {
      parse: (text) => {
        const value = /^[+-]?\d+$/.test(text) ? Number(text) : NaN;
        return Number.isSafeInteger(value) && value >= min && value <= max ? value : undefined;
      },
      mustBe: `a whole number${bounds}`,
      example: String(options.default ?? options.min ?? 1),
    },
    options,
  );
}

/** A TCP port; 0 means "any free one". */
export const port = (options: Options<number> = {}): Setting<number> => ({
  ...integer({ ...options, min: 0, max: 65_535 }),
  mustBe: 'a port number from 0 to 65535',
  example: String(options.default ?? 8080),
});

/** Free text that is not empty. */
export function text(
  options: Options<string> & { mustBe?: string; example?: string; pattern?: RegExp } = {},
): Setting<string> {
  return withOptions(
    {
      parse: (value) => (options.pattern && !options.pattern.test(value) ? undefined : value),
      mustBe:
        options.mustBe ?? (options.pattern ? `text that matches ${String(options.pattern)}` : 'text that is not empty'),
      example: options.example ?? options.default ?? 'something',
    },
    options,
  );
}

/** `true`, `false`, `yes`, `no`, `on`, `off`, `1` or `0`. */
export function flag(options: Options<boolean> = {}): Setting<boolean> {
  const values: Record<string, boolean> = {
    true: true,
    yes: true,
    on: true,
    1: true,
    false: false,
    no: false,
    off: false,
    0: false,
  };
  return withOptions(
    { parse: (value) => values[value.toLowerCase()], mustBe: 'true or false', example: 'true' },
    options,
  );
}

/**
 * An absolute URL, returned as it was written. URLs often carry a password, so a wrong one is never
 * shown.
 */
export function url(
  options: Options<string> & { protocols?: readonly string[]; example?: string } = {},
): Setting<string> {
  const { protocols } = options;
  const kinds = protocols?.map((protocol) => `${protocol}://`).join(' or ');
  return withOptions(
    {
      parse: (value) => {
        const parsed = URL.parse(value);
        if (!parsed?.host) return undefined;
        return !protocols || protocols.includes(parsed.protocol.slice(0, -1)) ? value : undefined;
      },
      mustBe: kinds ? `a URL that starts with ${kinds}` : 'an absolute URL',
      example: options.example ?? options.default ?? `${protocols?.[0] ?? 'https'}://host.example`,
      secret: true,
    },
    options,
  );
}

/** `host:port`; IPv6 addresses stand in brackets. */
export function hostAndPort(options: Options<string> = {}): Setting<string> {
  return withOptions(
    {
      parse: (value) => (portOf(value) === undefined ? undefined : value),
      mustBe: 'host:port',
      example: options.default ?? '127.0.0.1:5001',
    },
    options,
  );
}

function portOf(hostAndPort: string): number | undefined {
  const match = /^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+):(\d{1,5})$/i.exec(hostAndPort);
  return match && Number(match[1]) <= 65_535 ? Number(match[1]) : undefined;
}

/** Where a service with one or several replicas is: `host:port`, several of them, or a name that stands for all. */
export function serviceAddress(options: Options<string> = {}): Setting<string> {
  const dns = 'dns:///';
  const addresses = list();
  return withOptions(
    {
      parse: (value) => {
        const named = value.startsWith(dns);
        const replicas = named ? [value.slice(dns.length)] : (addresses.parse(value) ?? []);
        if (replicas.length === 0 || !replicas.every(portOf)) return undefined;
        return named ? value : replicas.join(',');
      },
      mustBe: 'host:port, several of them separated by commas, or dns:///name:port',
      example: options.default ?? '127.0.0.1:5001',
    },
    options,
  );
}

export function oneOf<const V extends string>(values: readonly V[], options: Options<V> = {}): Setting<V> {
  return withOptions(
    {
      parse: (value) => values.find((known) => known === value),
      mustBe: `one of ${values.join(', ')}`,
      example: options.default ?? values[0] ?? '',
    },
    options,
  );
}

/** Values separated by commas; spaces around them do not count. */
export function list(options: Options<readonly string[]> & { example?: string } = {}): Setting<readonly string[]> {
  return withOptions(
    {
      parse: (value) =>
        value
          .split(',')
          .map((item) => item.trim())
          .filter((item) => item !== ''),
      mustBe: 'values separated by commas',
      example: options.example ?? 'one,two',
    },
    options,
  );
}

/** One or more of some values, separated by commas. */
export function someOf<const V extends string>(
  values: readonly V[],
  options: Options<readonly V[]> & { example?: string } = {},
): Setting<readonly V[]> {
  const texts = list();
  return withOptions(
    {
      parse: (text) => {
        const chosen = [...new Set(texts.parse(text))];
        const known = values.filter((value) => chosen.includes(value));
        return known.length > 0 && known.length === chosen.length ? known : undefined;
      },
      mustBe: `one or more of ${values.join(', ')}, separated by commas`,
      example: options.example ?? values.slice(0, 2).join(','),
    },
    options,
  );
}

/** JSON text that `accept` recognises. Secret unless said otherwise: keys travel this way. */
export function json<T>(
  accept: (value: unknown) => value is T,
  options: Options<T> & { mustBe: string; example: string; secret?: boolean },
): Setting<T> {
  return withOptions(
    {
      parse: (value) => {
        try {
          const parsed: unknown = JSON.parse(value);
          return accept(parsed) ? parsed : undefined;
        } catch {
          return undefined;
        }
      },
      mustBe: options.mustBe,
      example: options.example,
      secret: options.secret ?? true,
    },
    options,
  );
}

export const logLevel = (): Setting<LogLevel> =>
  oneOf(LOG_LEVELS, { default: 'info', description: 'the least important lines that are logged' });

/** The variable may be absent; then the value is undefined. */
export const optional = <T>(setting: Setting<T>): Setting<T | undefined> => ({
  ...setting,
  fallback: { value: undefined },
});

/** The value is never shown, whatever is wrong with it. */
export const secret = <T>(setting: Setting<T>): Setting<T> => ({ ...setting, secret: true });

/** A secret of our own, of at least 16 characters. */
export const secretText = (description: string): Setting<string> =>
  secret(text({ mustBe: 'text of at least 16 characters', pattern: /^.{16,}$/s, description }));

/** A variable that had another name, which is refused with the new one. */
export const formerly = <T>(formerVariable: string, setting: Setting<T>): Setting<T> => ({
  ...setting,
  formerVariable,
});

/** The same settings of a certain service: its `DATABASE_URL` is the variable IDENTITY_DATABASE_URL. */
export const settingsOfService = <const S extends Settings>(service: string, settings: S): S =>
  Object.fromEntries(
    Object.entries(settings).map(([name, { formerVariable, ...setting }]) => [
      name,
      {
        ...setting,
        variable: serviceVariable(service, name),
        ...(formerVariable !== undefined && { formerVariable: serviceVariable(service, formerVariable) }),
      },
    ]),
  ) as S;

export const serviceVariable = (service: string, name: string): string => `${service.toUpperCase()}_${name}`;
