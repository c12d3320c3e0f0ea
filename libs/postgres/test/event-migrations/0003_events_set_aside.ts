export { createEventsSetAside as up } from '../../src/index.ts';
