import { declareError } from '@platform-backend/core';

export const tooManyExecutions = declareError(
  'conflict',
  'too_many_executions',
  'Too many executions of this template are waiting',
);
export const taskTemplateWithoutSchedule = declareError(
  'conflict',
  'task_template_without_schedule',
  'The template has no schedule',
);
export const executionNotFound = declareError('not_found', 'execution_not_found', 'Execution not found');
export const taskTemplateNotFound = declareError('not_found', 'task_template_not_found', 'Task template not found');
