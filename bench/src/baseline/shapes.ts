/** What goes in and comes out, field by field, as somebody would write it for these three operations alone. */

type Timestamp = { seconds: string; nanos: number };
type JsonValue = { kind: 'nullValue' | 'numberValue' | 'stringValue'; numberValue?: number; stringValue?: string };
type AccessEntry = { entry: Record<string, string> };

export type ClientGroupMessage = {
  id: string;
  name: string;
  description: string;
  archived: boolean;
  is_default: boolean;
  members: {
    id: string;
    name: string;
    email: string;
    status: string;
    folder_access: AccessEntry[];
    file_access: AccessEntry[];
  }[];
  workspaces: { id: string; name: string; description: string; access_level: string }[];
  policy: {
    period_days: number;
    ai_credit_limit?: string;
    infrastructure_credit_limit?: string;
    request_limit?: string;
    hard_stop: boolean;
  } | null;
  usage: Record<string, JsonValue>;
  asset_access: AccessEntry[];
  folder_access: AccessEntry[];
  file_access: AccessEntry[];
};

export type OrganisationMessage = {
  email: string;
  name: string;
  image_url: string;
  id: string;
  members: { id: string; user: { id: string; name: string; email: string } | null; permission_level: string }[];
  subscription_tier: string;
  max_member_limit: number;
  seats_renewal_enabled: boolean;
  seats_renewal_cycle: string;
  seats_expired_at: Timestamp | null;
  credit_checks_enabled: boolean;
  has_plan: boolean;
};

const entries = (list: AccessEntry[]) => list.map(({ entry }) => entry);
const limit = (value: string | undefined) => (value === undefined ? null : Number(value));
const json = (value: JsonValue) =>
  value.kind === 'numberValue' ? value.numberValue : value.kind === 'stringValue' ? value.stringValue : null;
const instant = (value: Timestamp | null) =>
  value === null ? null : new Date(Number(value.seconds) * 1000 + value.nanos / 1_000_000).toISOString();

export const clientGroupJson = (group: ClientGroupMessage) => ({
  id: group.id,
  name: group.name,
  description: group.description,
  archived: group.archived,
  is_default: group.is_default,
  members: group.members.map((member) => ({
    id: member.id,
    name: member.name,
    email: member.email,
    status: member.status.slice('MEMBER_STATUS_'.length).toLowerCase(),
    folder_access: entries(member.folder_access),
    file_access: entries(member.file_access),
  })),
  workspaces: group.workspaces.map((workspace) => ({
    id: workspace.id,
    name: workspace.name,
    description: workspace.description,
    access_level: workspace.access_level.slice('ACCESS_LEVEL_'.length),
  })),
  policy: group.policy && {
    period_days: group.policy.period_days,
    ai_credit_limit: limit(group.policy.ai_credit_limit),
    infrastructure_credit_limit: limit(group.policy.infrastructure_credit_limit),
    request_limit: limit(group.policy.request_limit),
    hard_stop: group.policy.hard_stop,
  },
  usage: Object.fromEntries(Object.entries(group.usage).map(([name, value]) => [name, json(value)])),
  asset_access: entries(group.asset_access),
  folder_access: entries(group.folder_access),
  file_access: entries(group.file_access),
});

export const organisationJson = (organisation: OrganisationMessage) => ({
  email: organisation.email,
  name: organisation.name,
  image_url: organisation.image_url,
  id: organisation.id,
  members: organisation.members.map(({ id, user, permission_level }) => ({
    id,
    user: user && { id: user.id, name: user.name, email: user.email },
    permission_level: permission_level.slice('PERMISSION_LEVEL_'.length),
  })),
  subscription_tier: organisation.subscription_tier.slice('SUBSCRIPTION_TIER_'.length),
  max_member_limit: organisation.max_member_limit,
  seats_renewal_enabled: organisation.seats_renewal_enabled,
  seats_renewal_cycle: organisation.seats_renewal_cycle.slice('RENEWAL_CYCLE_'.length),
  seats_expired_at: instant(organisation.seats_expired_at),
  credit_checks_enabled: organisation.credit_checks_enabled,
  has_plan: organisation.has_plan,
});

type Item = { type: string; loc: (string | number)[]; msg: string; input: unknown; ctx?: Record<string, unknown> };

/** A request that does not fit, with the items of its 422 answer. */
export class Invalid extends Error {
  readonly items: Item[];
  constructor(items: Item[]) {
    super('invalid request');
    this.items = items;
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The path's group id, in canonical form. */
export const groupId = (text: string): string => {
  if (UUID.test(text)) return text.toLowerCase();
  throw new Invalid([
    { type: 'uuid_parsing', loc: ['path', 'group_id'], msg: 'Input should be a valid UUID', input: text },
  ]);
};

/** Length in Unicode code points. */
const length = (text: string): number => {
  let points = 0;
  for (const _ of text) points += 1;
  return points;
};

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The body of `POST /client-groups/` with every problem found in it. */
export const createGroupRequest = (
  contentType: string | undefined,
  body: Buffer,
): { name: string; description: string } => {
  if (body.length === 0) throw new Invalid([{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }]);
  const notAnObject = (input: unknown) =>
    new Invalid([
      {
        type: 'model_attributes_type',
        loc: ['body'],
        msg: 'Input should be a valid dictionary or object to extract fields from',
        input,
      },
    ]);
  const text = decoder.decode(body);
  if (!contentType?.startsWith('application/json')) throw notAnObject(text);
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Invalid([
      { type: 'json_invalid', loc: ['body', 0], msg: 'JSON decode error', input: {}, ctx: { error: String(error) } },
    ]);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) throw notAnObject(parsed);
  const { name, description = '' } = parsed as Record<string, unknown>;
  const items: Item[] = [];
  if (name === undefined) items.push({ type: 'missing', loc: ['body', 'name'], msg: 'Field required', input: parsed });
  else if (typeof name !== 'string')
    items.push({ type: 'string_type', loc: ['body', 'name'], msg: 'Input should be a valid string', input: name });
  else if (name === '') {
    items.push({
      type: 'string_too_short',
      loc: ['body', 'name'],
      msg: 'String should have at least 1 character',
      input: name,
      ctx: { min_length: 1 },
    });
  } else if (length(name) > 120) {
    items.push({
      type: 'string_too_long',
      loc: ['body', 'name'],
      msg: 'String should have at most 120 characters',
      input: name,
      ctx: { max_length: 120 },
    });
  }
  if (typeof description !== 'string') {
    items.push({
      type: 'string_type',
      loc: ['body', 'description'],
      msg: 'Input should be a valid string',
      input: description,
    });
  } else if (length(description) > 500) {
    items.push({
      type: 'string_too_long',
      loc: ['body', 'description'],
      msg: 'String should have at most 500 characters',
      input: description,
      ctx: { max_length: 500 },
    });
  }
  if (items.length > 0) throw new Invalid(items);
  return { name: name as string, description: description as string };
};
