import { compose } from './compose.ts';
import { service } from './service.ts';

await service.main(compose);
