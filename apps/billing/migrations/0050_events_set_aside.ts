export { createEventsSetAside as up } from '@platform/postgres';
