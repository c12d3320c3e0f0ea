import { outgoingEvents } from '@platform-backend/events';
import { documentStore, untilFirst, withoutLimits, type Database, type RecordOf } from '@platform-backend/mongo';
import { limitedCreation } from '../../access/store/limited-creation.ts';
import type { TranscriptionJob } from '../domain/transcription-job.ts';
import type { JobEnd, TranscriptionJobs } from '../domain/transcription-jobs.ts';
import { finishTranscription } from '../domain/transcription.ts';
import type { Transcriptions } from '../domain/transcriptions.ts';
import type { transcriptionCollections } from './transcription-collections.ts';

/** A job as it is stored: what is absent there is null to everybody else. */
type StoredJob = Omit<TranscriptionJob, 'nextAttemptAt'> & {
  readonly nextAttemptAt?: Date;
  /** The organisation, while there is a `nextAttemptAt`. */
  readonly dueOrganisationId?: string;
};

type Jobs = (typeof transcriptionCollections)['transcriptionJobs'];

/** As many as are removed at a time. */
const REMOVED_AT_ONCE = 500;

export function transcriptionJobsStore(
  database: Database,
  transcriptions: Pick<Transcriptions, 'update'>,
): TranscriptionJobs {
  const name = 'transcriptionJobs';
  const stored = documentStore<StoredJob>({
    database,
    name,
    outgoing: outgoingEvents('content'),
  });
  const jobs = database.model<RecordOf<Jobs>>(name);

  const update: TranscriptionJobs['update'] = (by, id, decision) =>
    stored.update(by, id, (found) => {
      const before = found && jobOf(found);
      const { state, events, result } = decision(before);
      if (state === before) return { state: found, events, result };
      return { state: state && storedOf(by.organisationId, state), events, result };
    });

  const withinLimit = limitedCreation(database, name, () => ({
    status: { $in: ['QUEUED', 'RUNNING'] },
  }));

  return {
    async find(organisationId, id) {
      const found = await stored.find(organisationId, id);
      return found && jobOf(found);
    },

    async list(organisationId, { order, status, userId, ...page }) {
      const filter = {
        ...(userId !== null && { userId }),
        ...(status.length > 0 && { status: { $in: status } }),
      };
      const found = await stored.page(organisationId, page, { filter, order, without: ['parts'] });
      return { ...found, items: found.items.map((job) => jobOf({ ...job, parts: [] })) };
    },

    create: (by, id, limit, decide) => withinLimit(by.organisationId, limit, () => update(by, id, decide)),
    update,

    end: (by, id, decide) =>
      database.transaction(by.organisationId, async () => {
        const end = await update(by, id, (job) => {
          const ending: JobEnd | undefined = decide(job);
          return { state: ending?.decision.state ?? job, events: ending?.decision.events ?? [], result: ending };
        });
        const { transcription, debits = [] } = end ?? {};
        if (transcription)
          await transcriptions.update(by, transcription.id, () => finishTranscription(transcription, debits));
        return end?.decision.state;
      }),

    nextDue: (afterOrganisation, at) =>
      database.acrossOrganisations(async () => {
        const first = (after: string) =>
          jobs
            .findOne({ dueOrganisationId: { $gt: after }, nextAttemptAt: { $lte: at } }, { _id: 1, organisationId: 1 })
            .sort({ dueOrganisationId: 1, nextAttemptAt: 1 })
            .lean()
            .exec();
        const found = (await first(afterOrganisation)) ?? (afterOrganisation === '' ? null : await first(''));
        return found ? { organisationId: found.organisationId, id: found._id } : undefined;
      }),

    untilDue: (at) => untilFirst(database, { collection: name, field: 'nextAttemptAt' }, at),

    reservations: () =>
      withoutLimits(() =>
        database.acrossOrganisations(async () => {
          const found = await jobs
            .find({ reservationId: { $exists: true } }, { organisationId: 1, reservationId: 1 })
            .lean()
            .exec();
          return new Map(
            [...Map.groupBy(found, ({ organisationId }) => organisationId)].map(([organisationId, own]) => [
              organisationId,
              own.flatMap(({ reservationId }) => reservationId ?? []),
            ]),
          );
        }),
      ),

    async removeEnded(before) {
      const ended = await database.acrossOrganisations(() =>
        jobs
          .find({ finishedAt: { $lt: before } }, { _id: 1, organisationId: 1 })
          .sort({ finishedAt: 1 })
          .limit(REMOVED_AT_ONCE)
          .lean()
          .exec(),
      );
      for (const [organisationId, own] of Map.groupBy(ended, (job) => job.organisationId))
        await stored.removeAll(organisationId, { _id: { $in: own.map(({ _id }) => _id) } });
      return ended.length;
    },

    removeAll: (organisationId) => stored.removeAll(organisationId, {}),
  };
}

const jobOf = ({ nextAttemptAt, dueOrganisationId: _organisation, ...fields }: StoredJob): TranscriptionJob => ({
  ...fields,
  nextAttemptAt: nextAttemptAt ?? null,
});

const storedOf = (organisationId: string, { nextAttemptAt, ...fields }: TranscriptionJob): StoredJob => ({
  ...fields,
  ...(nextAttemptAt && { nextAttemptAt, dueOrganisationId: organisationId }),
});
