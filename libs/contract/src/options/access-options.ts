import type { Enum, Method, Root } from 'protobufjs';
import type { Area, CredentialKind, CreditClass, PermissionLevel } from '../generated/options.ts';
import { optional, optionsPackage, rawOption, reader, withoutPrefix } from './declared-option.ts';

/** Who may call an operation. */
export interface Access {
  /** Empty for an operation that only services call. */
  readonly credentials: readonly CredentialKind[];
  /** The least level; absent: any verified user, member of an organisation or not. */
  readonly level?: PermissionLevel;
  /** The area an API key's scopes name. */
  readonly area?: Area;
  /** Services that may call on their own behalf. */
  readonly services: readonly string[];
  /** A deployment may open it to callers without a credential. */
  readonly openable?: true;
  /** The credits it spends. */
  readonly spends?: CreditClass;
  /** It is bound to another method than GET, and does not say that it has no side effects. */
  readonly writes?: true;
}

/** Protobuf's own option, of what only reads although it is bound to POST. */
const hasNoSideEffects = (method: Method): boolean => method.options?.['idempotency_level'] === 'NO_SIDE_EFFECTS';

/**
 * Who may call an rpc: what it says itself, and for the rest what its service says of all that have an HTTP binding.
 * Throws when nobody has decided about it.
 */
export function accessOf(method: Method, verb: string | undefined): Access {
  const own = rawOption(method, `${optionsPackage}.access`);
  const common =
    verb !== undefined && method.parent ? rawOption(method.parent, `${optionsPackage}.default_access`) : undefined;
  if (own === undefined && common === undefined) {
    throw new Error(
      `${method.fullName.slice(1)} has no (${optionsPackage}.access) option, and its service no default_access: every rpc must say who may call it`,
    );
  }
  const given = { ...readAccess(common, method), ...readAccess(own, method) };
  const { anyUser, level, area, credentials = [], services = [], ...rest } = given;
  if (anyUser !== true && level === undefined && credentials.some((kind) => kind !== 'ANONYMOUS')) {
    throw new Error(`${method.fullName.slice(1)}: its access must name the least level, or any_user`);
  }
  const writes = verb !== undefined && verb !== 'GET' && !hasNoSideEffects(method);
  return {
    credentials,
    services,
    ...(writes && { writes: true }),
    ...(anyUser !== true && { ...optional('area', area), ...optional('level', level) }),
    ...rest,
  };
}

/** What is left out is said by nobody here. */
function readAccess(raw: unknown, method: Method): Partial<Access> & { readonly anyUser?: true } {
  const read = reader(raw, method.fullName);
  const names = (name: string): string[] | undefined => (read.has(name) ? read.list(name) : undefined);
  const kindOf = (name: string): CredentialKind => withoutPrefix(name, 'CREDENTIAL_KIND_') as CredentialKind;
  const access = {
    ...optional('credentials', names('credentials')?.map(kindOf)),
    ...optional('services', names('services')),
    ...optional('area', read.name('area', 'AREA_')?.toLowerCase() as Area | undefined),
    ...optional('level', read.name('level', 'PERMISSION_LEVEL_') as PermissionLevel | undefined),
    ...optional('openable', read.flag('openable') || undefined),
    ...optional('spends', read.name('spends', 'CREDIT_CLASS_') as CreditClass | undefined),
    ...optional('anyUser', read.flag('any_user') || undefined),
  };
  read.refuseUnread();
  return access;
}

/** Every area there is. */
export function areasOf(root: Root): ReadonlySet<Area> {
  return new Set(valueNames(root.lookupEnum(`${optionsPackage}.Area`)) as Area[]);
}

const valueNames = ({ values }: Enum): string[] => Object.keys(values).filter((name) => values[name] !== 0);

/** The levels of people whom no used-up limit of requests stops. */
export function levelsPassingRequestLimit(root: Root): ReadonlySet<PermissionLevel> {
  const { values, valuesOptions } = root.lookupEnum(`${optionsPackage}.PermissionLevel`);
  const passes = (name: string): boolean =>
    valuesOptions?.[name]?.[`(${optionsPackage}.passes_request_limit)`] === true;
  return new Set(Object.keys(values).filter(passes) as PermissionLevel[]);
}
