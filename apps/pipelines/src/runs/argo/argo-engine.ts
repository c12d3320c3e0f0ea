import { type Clock, inParallel, type Logger } from '@platform-backend/core';
import { setTimeout as delay } from 'node:timers/promises';
import type { PipelineVersion } from '../../pipelines/domain/pipeline.ts';
import type { RunEngine, RunOfOrganisation, RunReports } from '../domain/run-engine.ts';
import type { Runs, RunSweeps } from '../domain/runs.ts';
import { WORKFLOW_LABELS, workflowManifest, type WorkflowSettings } from '../domain/workflow-manifest.ts';
import { WorkflowRefused, type ArgoCluster } from './argo-cluster.ts';
import { followRun, type PodOutcome } from './follow-run.ts';
import { latestOfEach } from './latest-of-each.ts';
import type { PodJobs } from './pod-jobs.ts';
import { submittedWorkflow } from './submitted-workflow.ts';
import type { Workflow } from './workflow.ts';

export interface ArgoEngineOptions {
  readonly cluster: ArgoCluster;
  readonly jobs: PodJobs;
  readonly workflow: WorkflowSettings;
  readonly runs: Pick<Runs, 'find'>;
  readonly sweeps: Pick<RunSweeps, 'goingOn'>;
  /** They never change. */
  readonly findVersion: (organisationId: string, pipelineId: string, versionId: string) => Promise<PipelineVersion>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
}

/** Whether it gets a run that is started now. */
export type TakesRun = (organisationId: string, version: PipelineVersion) => boolean;

export interface ArgoEngine extends RunEngine {
  /** Hears of what changes in Kubernetes, and reports here. */
  work(reports: RunReports): ArgoWork;
}

export interface ArgoWork {
  /** Looks at all runs that go on, for what nobody has heard of. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export const ARGO = 'argo';

const SUBMITTED_AT_ONCE = 4;
const FOLLOWED_AT_ONCE = 8;
/** Runs of one look. */
const MAX_RUNS = 1_000;
/** Of the pause after a failure, in milliseconds. */
const FIRST_PAUSE = 200;
const MAX_PAUSE_MS = 10_000;

interface Seen extends Pick<RunOfOrganisation, 'organisationId'> {
  readonly runId: string;
  /** Undefined: it has to be asked for. */
  readonly workflow: Workflow | undefined;
  readonly withLogs: boolean;
}

/**
 * Runs as Workflows of Argo on Kubernetes, with a pod for each step. Any number of processes may watch the same ones: what
 * they report is recorded once. A watch tells of changes soon; a look at all that goes on finds what it has missed.
 */
export function argoEngine(options: ArgoEngineOptions): ArgoEngine {
  const { cluster, jobs, runs, sweeps, findVersion, clock, logger } = options;
  let present: RunReports | undefined;

  const versionOf = ({ organisationId, run }: RunOfOrganisation): Promise<PipelineVersion> =>
    findVersion(organisationId, run.pipelineId, run.versionId);

  async function submit(of: RunOfOrganisation): Promise<void> {
    const { run } = of;
    // What has begun is there, or was and is gone: another one would do the same again.
    if (run.startedAt !== null || (await cluster.find(run.name))) return;
    const version = await versionOf(of);
    const addresses = await jobs.write(of, version);
    if (!addresses) return;
    const workflow = submittedWorkflow(of, workflowManifest(run, version, options.workflow), addresses);
    await cluster.submit(workflow).catch(async (error: unknown) => {
      if (!(error instanceof WorkflowRefused) || !present) throw error;
      await refuse(of, present, error.message);
    });
  }

  async function refuse(
    { organisationId, run }: RunOfOrganisation,
    reports: RunReports,
    message: string,
  ): Promise<void> {
    const first = run.steps.findIndex(({ after, kept }) => !kept && after.every((other) => run.steps[other]?.kept));
    const begun = await reports.stepStarted({ organisationId, runId: run.id, stepIndex: first }, null);
    if (begun) await reports.stepFinished(begun.at, { outcome: 'ERROR', message, isFinal: true });
  }

  return {
    name: ARGO,
    submit: (all) => inParallel(all, { atOnce: SUBMITTED_AT_ONCE }, submit),
    isBusy: () => Promise.resolve(false),
    cancel: ({ run }) => cluster.terminate(run.name),

    work(reports) {
      present = reports;
      const closing = new AbortController();
      const following = latestOfEach<Seen>(FOLLOWED_AT_ONCE, follow);
      const watching = watch();

      return {
        async sweep() {
          const [going, { workflows }] = await Promise.all([sweeps.goingOn(ARGO, MAX_RUNS), cluster.listGoing()]);
          const shown = new Map(workflows.map((workflow) => [workflow.metadata.name, workflow]));
          for (const { organisationId, run } of going) {
            const workflow = shown.get(run.name);
            shown.delete(run.name);
            // What was not submitted yet has no workflow.
            if (workflow ?? run.startedAt) see({ organisationId, runId: run.id, workflow, withLogs: true });
          }
          for (const workflow of shown.values()) seeWorkflow(workflow);
        },
        async stop() {
          closing.abort();
          await watching;
          await following.end();
        },
      };

      function see(seen: Seen): void {
        if (!closing.signal.aborted) following.put(seen.runId, seen);
      }

      /** One that is completed, as one that is deleted, is told of as it was before: it is asked for again. */
      function seeWorkflow(workflow: Workflow, isGone = false): void {
        const { [WORKFLOW_LABELS.organisation]: organisationId, [WORKFLOW_LABELS.run]: runId } =
          workflow.metadata.labels ?? {};
        if (organisationId === undefined || runId === undefined) return;
        see({ organisationId, runId, workflow: isGone ? undefined : workflow, withLogs: false });
      }

      async function follow({ organisationId, runId, workflow, withLogs }: Seen): Promise<void> {
        try {
          const run = await runs.find(organisationId, runId);
          if (run?.engine !== ARGO) return;
          const shown = workflow ?? (await cluster.find(run.name));
          await followRun(
            { organisationId, run },
            shown,
            { reports, cluster, readReport, readFailure, clock },
            withLogs,
          );
        } catch (error) {
          logger.warn(
            { event: 'workflow.follow_failed', err: error, runId },
            'a workflow could not be followed, trying again later',
          );
        }
      }

      async function readReport(of: RunOfOrganisation, stepIndex: number): Promise<PodOutcome | undefined> {
        const report = await jobs.readReport(of, stepIndex);
        if (!report) return undefined;
        const { steps } = await versionOf(of);
        return { report, output: steps[stepIndex]?.config.outputDatasets[0] ?? null };
      }

      async function readFailure(of: RunOfOrganisation, stepIndex: number, failures: number) {
        const report = await jobs.readFailure(of, stepIndex, failures);
        return report && { report, output: null };
      }

      /** As long as this process goes on, whatever becomes of the server. */
      async function watch(): Promise<void> {
        let version: string | undefined;
        for (let pause = FIRST_PAUSE; !closing.signal.aborted;) {
          try {
            if (version === undefined) {
              const listed = await cluster.listGoing();
              for (const workflow of listed.workflows) seeWorkflow(workflow);
              version = listed.version;
            }
            version = await cluster.watch(version, seeWorkflow, closing.signal);
            pause = FIRST_PAUSE;
          } catch (error) {
            if (pause === FIRST_PAUSE)
              logger.warn({ event: 'workflows.watch_failed', err: error }, 'workflows cannot be watched, trying again');
            await delay(pause, undefined, { signal: closing.signal }).catch(() => undefined);
            // oxlint-disable-next-line no-useless-assignment -- the next turn reads it
            pause = Math.min(pause * 2, MAX_PAUSE_MS);
          }
        }
      }
    },
  };
}
