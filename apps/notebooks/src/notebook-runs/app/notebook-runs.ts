import {
  type ActorContext,
  type Clock,
  followRevisions,
  invalidField,
  isNotFound,
  keyReused,
  type PageRequest,
} from '@platform-backend/core';
import type { KernelUseCases } from '../../kernels/app/kernels.ts';
import type { Payer } from '../../kernels/domain/credits.ts';
import type { NotebookPages } from '../../notebooks/domain/notebook-pages.ts';
import type { Notebooks } from '../../notebooks/domain/notebooks.ts';
import { noKernelForLanguage, noResult, notebookRunsLimitReached } from '../domain/errors.ts';
import { kernelOfLanguage } from '../domain/kernel-of-language.ts';
import type { NotebookPrograms } from '../domain/notebook-programs.ts';
import { cancelNotebookRun, startNotebookRun, revisionOf } from '../domain/notebook-run.ts';
import type { NotebookRuns } from '../domain/notebook-runs.ts';
import type { Parameters } from '../domain/parameters.ts';

export interface NotebookRunPorts {
  readonly runs: NotebookRuns;
  readonly notebooks: Pick<Notebooks, 'get' | 'getWithContent'>;
  readonly programs: Pick<NotebookPrograms, 'read'>;
  readonly kernels: Pick<KernelUseCases, 'kernelSpec' | 'kernelSpecs' | 'requireMinute'>;
  readonly pages: NotebookPages;
  readonly clock: Clock;
  /** Of an organisation, which are not over. */
  readonly maxOpen: number;
}

export interface NotebookRunInput {
  readonly runId: string;
  readonly notebookId: string;
  readonly parameters: Parameters;
  /** Empty for the one that the notebook names, or else the usual one of its language. */
  readonly kernelName: string;
}

export interface WatchedRun {
  readonly organisationId: string;
  readonly notebookId: string;
  readonly runId: string;
  /** The revision that the reader knows already; empty: none. */
  readonly known: string;
  readonly signal: AbortSignal;
}

export type NotebookRunUseCases = ReturnType<typeof notebookRunUseCases>;

export function notebookRunUseCases({ runs, notebooks, programs, kernels, pages, clock, maxOpen }: NotebookRunPorts) {
  /** As it is named, or as the notebook is written. CONFLICT: there is no kernel of its language. */
  const specFor = async (notebookLanguage: string, kernelName: string, namedInside: string) => {
    if (kernelName !== '') return kernels.kernelSpec(kernelName);
    const spec = kernelOfLanguage(notebookLanguage, await kernels.kernelSpecs(), namedInside);
    if (!spec) throw noKernelForLanguage({ language: notebookLanguage });
    return spec;
  };

  const isKnown = (organisationId: string, notebookId: string, runId: string): Promise<boolean> =>
    runs.get(organisationId, notebookId, runId).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) return false;
        throw error;
      },
    );

  const result = async (organisationId: string, notebookId: string, runId: string) => {
    await runs.get(organisationId, notebookId, runId);
    const [{ name }, text] = await Promise.all([
      notebooks.get(organisationId, notebookId),
      runs.resultOf(organisationId, runId),
    ]);
    if (text === null) throw noResult();
    return { name, text };
  };

  return {
    /**
     * NOT_FOUND: no such notebook, or no such kind of kernel. CONFLICT: no kernel of its language. INVALID: a parameter that no variable can be called, or the id
     * is that of another notebook's run. PAYMENT_REQUIRED: there are too few credits for its first minute.
     */
    async startRun(by: Payer, { runId, notebookId, parameters, kernelName }: NotebookRunInput) {
      const { organisationId, actor, clientGroupId, apiKeyId } = by;
      const { notebook, text } = await notebooks.getWithContent(organisationId, notebookId);
      const { cells, kernelName: namedInside } = await programs.read(organisationId, { text, parameters });
      const { name, language } = await specFor(notebook.language, kernelName, namedInside);
      if (language !== 'python' && Object.keys(parameters).length > 0) throw onlyForPython();
      if (!(await isKnown(organisationId, notebookId, runId))) await kernels.requireMinute(by);
      const run = await runs.add(by, runId, text, (open) => {
        if (open >= maxOpen) throw notebookRunsLimitReached({ open });
        return startNotebookRun(
          {
            id: runId,
            notebookId,
            notebookVersion: notebook.version,
            parameters,
            kernelName: name,
            cells: cells.filter(({ code }) => code !== undefined).length,
            userId: actor.userId,
            clientGroupId,
            apiKeyId,
          },
          clock.now(),
        );
      });
      if (run.notebookId !== notebookId) throw keyReused();
      return run;
    },

    getRun: runs.get,
    /** NOT_FOUND, at once or later: it is not there. */
    watchRun: ({ organisationId, notebookId, runId, known, signal }: WatchedRun) =>
      followRevisions({
        look: () => runs.get(organisationId, notebookId, runId),
        revisionOf,
        isOver: ({ finishedAt }) => finishedAt !== null,
        notice: () => runs.noticeOf(organisationId, runId),
        known,
        signal,
      }),
    listRuns: (organisationId: string, notebookId: string, page: PageRequest) =>
      runs.list(organisationId, notebookId, page),

    async cancelRun(by: ActorContext, notebookId: string, runId: string) {
      await runs.get(by.organisationId, notebookId, runId);
      return runs.update(by, runId, (run) => cancelNotebookRun(run, clock.now()));
    },

    /** CONFLICT: there is none. */
    resultOf: result,

    async resultPage(organisationId: string, notebookId: string, runId: string) {
      const { name, text } = await result(organisationId, notebookId, runId);
      return { name, html: await pages.html(organisationId, name, text) };
    },
  };
}

const onlyForPython = () => invalidField(['body', 'parameters'], 'only kernels of Python take parameters');
