import type {
  CheckedProgram,
  KernelJobServiceHandlers,
  KernelJobStart,
  RunKernelJobAnswerInput,
  RunKernelJobRequest,
} from '@platform-backend/contract-notebooks';
import { invalidField } from '@platform-backend/core';
import type { CallContext } from '@platform-backend/grpc';
import type { Notebook } from '../../notebooks/domain/notebook.ts';
import type { CheckPrograms } from '../app/check-programs.ts';
import type { RunKernelJob } from '../app/run-kernel-job.ts';
import { noJob } from '../domain/errors.ts';
import type { JobAnswer, JobRows, KernelJob } from '../domain/kernel-job.ts';

const MIB = 1024 * 1024;

export interface KernelJobHandlerPorts {
  readonly runKernelJob: RunKernelJob;
  readonly checkPrograms: CheckPrograms;
  /** By its id or its name. NOT_FOUND: there is none of either. */
  readonly findNotebook: (organisationId: string, name: string) => Promise<Notebook>;
  /** NOT_PROVIDED: no kernel is for this organisation here. */
  readonly checkAccess: (organisationId: string) => Promise<void>;
}

/** What other services have run in kernels. */
export const kernelJobHandlers = ({
  runKernelJob,
  checkPrograms,
  findNotebook,
  checkAccess,
}: KernelJobHandlerPorts): KernelJobServiceHandlers<CallContext> => ({
  async checkPrograms({ programs }, context) {
    const wanted = programs.map(({ parameters, ...program }, index) => ({
      program: programIn(program, ['programs', index]),
      parameters,
    }));
    const found = await checkPrograms(context.organisationId(), wanted, context.signal);
    return { errors: found.flatMap((error, program) => (error ? [{ program, ...error }] : [])) };
  },

  async checkKernelAccess(_request, context) {
    await checkAccess(context.organisationId());
    return {};
  },

  findNotebook: ({ name }, context) => findNotebook(context.organisationId(), name),

  async *runKernelJob(requests, context) {
    const reading = requests[Symbol.asyncIterator]();
    const first = await reading.next();
    const start = first.done ? null : first.value.start;
    if (!start) throw noJob();
    const rows = rowsIn(reading);
    for await (const answer of runKernelJob(context.actorContext(), jobOf(start), rows, context.signal)) {
      yield answerMessage(answer);
    }
  },
});

const jobOf = ({ code, notebookId, memoryLimitMb, ...job }: KernelJobStart): KernelJob => ({
  ...job,
  program: programIn({ code, notebookId }, ['start']),
  memoryBytes: memoryLimitMb === null ? undefined : memoryLimitMb * MIB,
});

function programIn(
  { code, notebookId }: Pick<CheckedProgram, 'code' | 'notebookId'>,
  at: readonly (string | number)[],
) {
  if ((code === '') === (notebookId === null)) {
    throw invalidField(['body', ...at, 'code'], 'either code or a notebook is run');
  }
  return notebookId === null ? { code } : { notebookId };
}

async function* rowsIn(requests: AsyncIterator<RunKernelJobRequest>): AsyncGenerator<JobRows> {
  for (let next = await requests.next(); !next.done; next = await requests.next()) {
    const { rows } = next.value;
    if (rows) yield rows;
  }
}

function answerMessage(answer: JobAnswer): RunKernelJobAnswerInput {
  if (!('finished' in answer)) return answer;
  const { failure, seconds } = answer.finished;
  if (!failure) return { finished: { outcome: 'SUCCEEDED', code: '', message: '', seconds, cell: null } };
  const { code, message, cellIndex } = failure;
  return { finished: { outcome: 'FAILED', code, message, seconds, cell: cellIndex } };
}
