import { flag, integer, text, type Setting, type Settings } from '@platform-backend/core';
import { parse } from 'yaml';

/** The JSON Schema of one setting of a policy. */
interface Property {
  readonly type?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly description?: string;
}

/** The JSON Schemas of policies, by their names. */
type PolicySchemas = Readonly<Record<string, { readonly properties?: Readonly<Record<string, Property>> }>>;

interface GatewayConfig {
  readonly pipelines: Readonly<Record<string, { readonly policies: readonly Readonly<Record<string, Steps>>[] }>>;
}

type Steps = readonly { readonly action: Readonly<Record<string, unknown>> }[];

/** The variables that a gateway.config.yml gives to policies, `${NAME:-default}`, as what the policy says of the setting. */
export function policyVariables(config: string, schemas: PolicySchemas): Settings {
  const { pipelines } = parse(config) as GatewayConfig;
  const steps = Object.values(pipelines).flatMap(({ policies }) =>
    policies.flatMap((policy) => Object.entries(policy)),
  );
  return Object.fromEntries(
    steps.flatMap(([policy, actions]) =>
      actions.flatMap(({ action }) =>
        Object.entries(action).flatMap(([name, value]) => {
          const [, variable, byDefault] = /^\$\{(\w+):-(.*)\}$/.exec(String(value)) ?? [];
          if (variable === undefined || byDefault === undefined) return [];
          return [[variable, settingOf(schemas[policy]?.properties?.[name] ?? {}, byDefault)] as const];
        }),
      ),
    ),
  );
}

function settingOf({ type, minimum, maximum, description }: Property, byDefault: string): Setting<unknown> {
  const described = description === undefined ? {} : { description };
  if (type === 'integer') {
    const bounds = { ...(minimum !== undefined && { min: minimum }), ...(maximum !== undefined && { max: maximum }) };
    return integer({ ...described, ...bounds, default: Number(byDefault) });
  }
  return type === 'boolean'
    ? flag({ ...described, default: byDefault === 'true' })
    : text({ ...described, default: byDefault });
}
