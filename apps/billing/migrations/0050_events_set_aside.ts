export { createEventsSetAside as up } from '@platform/events';
