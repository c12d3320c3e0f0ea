export { createEventTables as up } from '../../src/index.ts';
