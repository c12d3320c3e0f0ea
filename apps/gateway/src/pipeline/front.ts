import type { PreparedPolicy } from '../express-gateway/plugin.ts';
import type { GatewayConfig } from '../express-gateway/types.ts';
import type { Policy } from './policy.ts';

/**
 * The policies of the configured pipeline, when they can run without express: one pipeline, every
 * step one of ours, once each, without a condition. Undefined otherwise; then express-gateway runs
 * the pipeline itself, with the same outcome and at a higher price.
 */
export function frontPolicies(
  config: GatewayConfig,
  prepared: readonly PreparedPolicy[],
): readonly Policy[] | undefined {
  const pipelines = Object.values(config.pipelines);
  const [pipeline] = pipelines;
  if (!pipeline || pipelines.length > 1) return undefined;

  const names: string[] = [];
  for (const step of pipeline.policies) {
    const entries = Object.entries(step);
    const [entry] = entries;
    if (!entry || entries.length > 1) return undefined;
    const [name, runs] = entry;
    if (runs.length !== 1 || runs[0]?.condition !== undefined) return undefined;
    names.push(name);
  }

  const inOrder = names.length === prepared.length && names.every((name, index) => prepared[index]?.name === name);
  return inOrder ? prepared.map(({ policy }) => policy) : undefined;
}
