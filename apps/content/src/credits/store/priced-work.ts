import type { Database } from '@platform-backend/mongo';

interface Answer {
  readonly _id: string;
  readonly senderType: string;
  readonly isFinished: boolean;
  readonly finishedAt: Date;
  readonly annotations: { readonly usage?: { readonly credits_micros?: number } };
}

interface Transcript {
  readonly _id: string;
  readonly createdAt: Date;
}

/** Answers and transcriptions of an organisation that have ended since then and cost something, as they are kept. */
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
      // By the price of that time, which nobody has kept.
      ...transcripts.map(({ _id: workId, createdAt: at }) => ({
        ...{ purpose: 'transcription', workId, at, debits: 1, micros: null },
      })),
    ];
  });
