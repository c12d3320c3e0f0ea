export { createEventsSetAside as up } from '@platform-backend/postgres';
