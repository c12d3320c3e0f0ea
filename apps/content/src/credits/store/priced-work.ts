import type { Database } from '@platform-backend/mongo';

interface Answer {
  readonly _id: string;
  readonly senderType: string;
  readonly isFinished: boolean;
  readonly finishedAt: Date;
  readonly annotations: { readonly usage?: { readonly credits_micros?: number } };
}

interface Completion {
  readonly _id: string;
  readonly finishedAt: Date;
  readonly costMicros: number;
}

interface Generation {
  readonly workId: string;
  readonly createdAt: Date;
  readonly costMicros: number;
  /** Of answers whose place this one has taken. */
  readonly replaced?: { readonly costMicros: number; readonly debits: number };
}

interface Transcript {
  readonly _id: string;
  readonly createdAt: Date;
}

/** Answers, also to clients of OpenAI's interface and for steps of runs, and transcriptions of an organisation that have ended since then and cost something, as they are kept. */
export const pricedWork = (
  database: Database,
  organisationId: string,
  since: Date,
  { TRANSCRIPTION_MICROS_PER_SECOND: microsPerSecond }: { readonly TRANSCRIPTION_MICROS_PER_SECOND: number },
) =>
  database.tenant(organisationId, async () => {
    const costs = { 'annotations.usage.credits_micros': { $gt: 0 } };
    const answers = await database
      .model<Answer>('messages')
      .find(
        { senderType: 'ASSISTANT', isFinished: true, finishedAt: { $gte: since }, ...costs },
        { annotations: 1, finishedAt: 1 },
      )
      .lean()
      .exec();
    const completions = await database
      .model<Completion>('chatCompletions')
      .find({ finishedAt: { $gte: since }, costMicros: { $gt: 0 } }, { finishedAt: 1, costMicros: 1 })
      .lean()
      .exec();
    const generations = await database
      .model<Generation>('generations')
      .find(
        { createdAt: { $gte: since }, $or: [{ costMicros: { $gt: 0 } }, { 'replaced.debits': { $gt: 0 } }] },
        { workId: 1, createdAt: 1, costMicros: 1, replaced: 1 },
      )
      .lean()
      .exec();
    const transcripts =
      microsPerSecond === 0
        ? []
        : await database
            .model<Transcript>('transcriptions')
            .find({ createdAt: { $gte: since } }, { createdAt: 1 })
            .lean()
            .exec();
    return [
      ...answers.map(({ _id: workId, finishedAt: at, annotations: { usage } }) => ({
        ...{ purpose: 'assistant_message', workId, at, debits: 1 },
        micros: BigInt(usage?.credits_micros ?? 0),
      })),
      ...completions.map(({ _id: workId, finishedAt: at, costMicros }) => ({
        ...{ purpose: 'chat_completion', workId, at, debits: 1 },
        micros: BigInt(costMicros),
      })),
      // All rows of a run are one work, which ends with the last of them.
      ...[...Map.groupBy(generations, ({ workId }) => workId)].flatMap(([workId, rows]) => {
        const own = rows.map(({ costMicros }) => ({ costMicros, debits: costMicros > 0 ? 1 : 0 }));
        const costs = [...own, ...rows.flatMap(({ replaced }) => replaced ?? [])];
        const debits = costs.reduce((sum, cost) => sum + cost.debits, 0);
        const at = rows.reduce((last, { createdAt }) => (createdAt > last ? createdAt : last), since);
        const micros = costs.reduce((sum, { costMicros }) => sum + BigInt(costMicros), 0n);
        return debits === 0 ? [] : [{ purpose: 'pipeline_step', workId, debits, at, micros }];
      }),
      // By the price of that time, which nobody has kept.
      ...transcripts.map(({ _id: workId, createdAt: at }) => ({
        ...{ purpose: 'transcription', workId, at, debits: 1, micros: null },
      })),
    ];
  });
