import { loadContract } from '@platform-backend/contract';
import {
  contentContract,
  type TranscriptionJobInput,
  type TranscriptionServiceHandlers,
} from '@platform-backend/contract-content';
import { listAnswer, requireOperation, type CallContext } from '@platform-backend/grpc';
import { payerOf } from '../../credits/api/payer.ts';
import type { TranscriptionJobUseCases } from '../app/transcription-jobs.ts';
import type { TranscriptionJob } from '../domain/transcription-job.ts';

type Handlers = Pick<
  TranscriptionServiceHandlers<CallContext>,
  'createTranscriptionJob' | 'listTranscriptionJobs' | 'getTranscriptionJob' | 'cancelTranscriptionJob'
>;

export const transcriptionJobHandlers = (app: TranscriptionJobUseCases): Handlers => ({
  async createTranscriptionJob({ documentId, language }, context) {
    // What is said in a recording is read with the rights of the caller: a key that is limited to transcriptions reads no document.
    requireOperation(
      context.caller,
      loadContract(contentContract),
      'platform.content.v1.DocumentService/DownloadDocument',
    );
    return message(await app.createJob(payerOf(context), { documentId, language: language || null }));
  },

  async listTranscriptionJobs(request, context) {
    const page = await app.listJobs(context.actorContext(), request);
    return listAnswer('jobs', page, message);
  },

  getTranscriptionJob: async ({ jobId }, context) => message(await app.getJob(context.actorContext(), jobId)),
  cancelTranscriptionJob: async ({ jobId }, context) => message(await app.cancelJob(context.actorContext(), jobId)),
});

const message = ({ userId, language, seconds, ...job }: TranscriptionJob): TranscriptionJobInput => ({
  ...{ id: job.id, status: job.status, documentId: job.documentId, filename: job.filename },
  ...{ language: language ?? '', durationSeconds: seconds, transcribedSeconds: job.transcribedSeconds },
  percent: job.status === 'SUCCEEDED' ? 100 : seconds ? Math.floor((100 * job.transcribedSeconds) / seconds) : 0,
  ...{ failure: job.failure, transcriptionId: job.hasTranscription ? job.transcriptionId : '', createdBy: userId },
  ...{ createdAt: job.createdAt, updatedAt: job.updatedAt, finishedAt: job.finishedAt },
});
