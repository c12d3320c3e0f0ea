import type { Knex } from '../../src/index.ts';

export const up = (knex: Knex): Promise<unknown> => knex.raw('CREATE TABLE half_done (id int)');
