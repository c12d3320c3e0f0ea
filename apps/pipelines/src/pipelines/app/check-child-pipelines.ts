import { invalid, isNotFound, type Violation } from '@platform-backend/core';
import { checkedValue, type Parameter } from '../../steps/domain/parameters.ts';
import { configViolation } from '../../steps/domain/step-violation.ts';
import { sameName, type StepsInput } from '../../steps/domain/step.ts';
import { MAX_CHAIN } from '../domain/pipeline-chain.ts';
import type { PipelineVersion } from '../domain/pipeline.ts';
import type { Pipelines } from '../domain/pipelines.ts';

/** So many runs one run starts at most, with all that those start. */
const MAX_CHILD_RUNS = 1_000;

type FindPipelines = Pick<Pipelines, 'get' | 'getVersion'>;

/**
 * Whether pipelines that steps start are there, make what the steps say, and lead back to none above them. `pipelineId` is whose steps they are; undefined:
 * a new one. INVALID: one of them does not.
 */
export async function requireChildPipelines(
  pipelines: FindPipelines,
  organisationId: string,
  pipelineId: string | undefined,
  { steps, parameters: own = [] }: Pick<StepsInput, 'steps' | 'parameters'>,
): Promise<void> {
  const known = new Map<string, Promise<PipelineVersion | string>>();
  /** Versions that were walked through, by their ids: each once, however many steps start it. */
  const sound = new Map<string, Below>();

  /** What would be carried out, or why nothing would. */
  function versionOf(id: string, versionId: string | null): Promise<PipelineVersion | string> {
    const key = `${id} ${versionId}`;
    const found = known.get(key) ?? load(id, versionId);
    known.set(key, found);
    return found;
  }

  async function load(id: string, versionId: string | null): Promise<PipelineVersion | string> {
    try {
      const { archived, currentVersionId } = await pipelines.get(organisationId, id);
      if (archived) return 'the pipeline is archived';
      const wanted = versionId ?? currentVersionId;
      return wanted === null
        ? 'the pipeline has no version yet'
        : await pipelines.getVersion(organisationId, id, wanted);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return versionId === null ? 'there is no such pipeline' : 'there is no such pipeline, or version of it';
    }
  }

  /** Why runs of this one could not be waited for, below these. */
  async function problemBelow(version: PipelineVersion, above: readonly string[]): Promise<string | undefined> {
    const seen = sound.get(version.id);
    if (seen) return chainProblem(seen, above);
    const own: Below = { pipelineIds: new Set([version.pipelineId]), depth: 1, runs: 1 };
    const problem = chainProblem(own, above);
    if (problem !== undefined) return problem;
    const chain = [...above, version.pipelineId];
    for (const { config } of version.steps) {
      if (config.queryType !== 'PIPELINE') continue;
      const child = await versionOf(config.query, config.pipelineVersionId);
      // What is not there any more fails when it runs.
      if (typeof child === 'string') continue;
      const below = await problemBelow(child, chain);
      if (below !== undefined) return below;
      const { pipelineIds, depth, runs } = sound.get(child.id) as Below;
      for (const id of pipelineIds) own.pipelineIds.add(id);
      own.depth = Math.max(own.depth, depth + 1);
      own.runs += runs * (config.forEach?.values.length ?? 1);
    }
    sound.set(version.id, own);
    return undefined;
  }

  const found: Violation[] = [];
  let started = 0;
  for (const [stepIndex, { config }] of steps.entries()) {
    if (config.queryType !== 'PIPELINE') continue;
    const version = await versionOf(config.query, config.pipelineVersionId);
    const above = pipelineId === undefined ? [NEW] : [pipelineId];
    const problem = typeof version === 'string' ? version : await problemBelow(version, above);
    if (problem !== undefined) found.push(configViolation(stepIndex, ['query'], problem, config.query));
    if (typeof version === 'string') continue;
    const before = started;
    started += (sound.get(version.id)?.runs ?? 0) * (config.forEach?.values.length ?? 1);
    if (before <= MAX_CHILD_RUNS && started > MAX_CHILD_RUNS)
      found.push(
        configViolation(stepIndex, ['query'], `more than ${MAX_CHILD_RUNS} runs would be started by one`, config.query),
      );
    const made = new Set(version.steps.flatMap((step) => step.config.outputDatasets.map(sameName)));
    for (const [index, output] of config.outputDatasets.entries())
      if (!made.has(sameName(output)))
        found.push(
          configViolation(stepIndex, ['output_datasets', index], 'the pipeline makes no such dataset', output),
        );
    const declared = new Map(version.parameters.map((parameter) => [parameter.name, parameter]));
    const handedOn = new Set(own.map(({ name }) => name));
    const taken = new Set(version.steps.flatMap((step) => Object.keys(step.config.parameters)));
    const at = (name: string, msg: string) =>
      found.push(configViolation(stepIndex, ['parameters', name], msg, config.parameters[name] ?? null));
    const { parameter: each, values } = config.forEach ?? { parameter: undefined, values: [] };
    const eachDeclared = each === undefined ? undefined : declared.get(each);
    if (each !== undefined && !eachDeclared && !taken.has(each))
      found.push(configViolation(stepIndex, ['for_each', 'parameter'], UNKNOWN_PARAMETER, each));
    for (const [index, value] of values.entries()) {
      const problem = eachDeclared && valueProblem(eachDeclared, value);
      if (problem !== undefined) found.push(configViolation(stepIndex, ['for_each', 'values', index], problem, value));
    }
    for (const [name, value] of Object.entries(config.parameters)) {
      const parameter = declared.get(name);
      if (!parameter && !taken.has(name)) at(name, UNKNOWN_PARAMETER);
      // One of the same name takes its place when it runs.
      if (!parameter || handedOn.has(name) || name === each) continue;
      const problem = valueProblem(parameter, value);
      if (problem !== undefined) at(name, problem);
    }
    for (const { name, required } of declared.values())
      if (required && name !== each && !Object.hasOwn(config.parameters, name)) at(name, REQUIRED);
  }
  if (found.length > 0) throw invalid(found);
}

const UNKNOWN_PARAMETER = 'no step of the pipeline has this parameter';
const REQUIRED = 'the pipeline requires it';

/** Why runs of a pipeline with this parameter cannot be started with it. */
function valueProblem({ type, required }: Parameter, value: unknown): string | undefined {
  const checked = checkedValue(type, value);
  if ('problem' in checked) return checked.problem;
  return value === null && required ? REQUIRED : undefined;
}

const NEW = '';

/** What a version starts, itself included. */
interface Below {
  readonly pipelineIds: Set<string>;
  /** So many pipelines start each other there. */
  depth: number;
  /** So many runs begin with one of it. */
  runs: number;
}

function chainProblem({ pipelineIds, depth }: Below, above: readonly string[]): string | undefined {
  if (above.some((id) => pipelineIds.has(id))) return 'the pipelines start each other in a circle';
  return above.length + depth > MAX_CHAIN ? `more than ${MAX_CHAIN} pipelines would start each other` : undefined;
}
