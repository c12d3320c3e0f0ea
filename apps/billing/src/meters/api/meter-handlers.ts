import type { MeterInput, MeterRowInput, MeterServiceHandlers } from '@platform-backend/contract-billing';
import { fieldsGiven, listAnswer, type CallContext } from '@platform-backend/grpc';
import type { MeterUseCases } from '../app/meters.ts';
import type { MeterRow } from '../domain/meter-query.ts';
import type { Meter } from '../domain/meter.ts';

export const meterHandlers = (app: MeterUseCases): MeterServiceHandlers<CallContext> => ({
  createMeter: async (request, context) => meterMessage(await app.create(context.actorContext(), request)),

  getMeter: async ({ meterId }, context) => meterMessage(await app.get(context.organisationId(), meterId)),

  async listMeters({ includeArchived, ...page }, context) {
    const found = await app.list(context.organisationId(), { archived: includeArchived }, page);
    return listAnswer('meters', found, meterMessage);
  },

  async updateMeter({ meterId, name, description, updateMask }, context) {
    const wanted = fieldsGiven(updateMask, { name, description });
    return meterMessage(await app.update(context.actorContext(), meterId, wanted));
  },

  archiveMeter: async ({ meterId }, context) => meterMessage(await app.archive(context.actorContext(), meterId)),

  async queryMeter({ meterId, from, to, windowSize, groupBy, filter, ...page }, context) {
    const question = { from, to, window: windowSize, groupBy, filters: filter };
    const { items, nextCursor } = await app.query(context.organisationId(), meterId, question, page);
    return { rows: items.map(rowMessage), nextCursor };
  },

  async ingestUsageEvents({ events }, context) {
    return app.ingest(
      context.organisationId(),
      events.map(({ source, id, type, subject, time, data }) => ({ source, id, type, subject, time, data })),
    );
  },
});

const meterMessage = (meter: Meter): MeterInput => meter;

const rowMessage = ({ groups, ...row }: MeterRow): MeterRowInput => ({ ...row, groupBy: groups });
