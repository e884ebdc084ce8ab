import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/**
 * What a project must have before a blueprint is deployed, with its weight of 100 in the
 * readiness. A failed check names the call that mends it.
 */
export const DEPLOY_CHECKS = vocabulary('BlueprintDeployCheck', 'A check of a deployment.', [
  { code: 'manifest_lint', weight: 10, description: 'The lint of the manifest finds no error.' },
  {
    code: 'sandbox_run',
    weight: 15,
    description: 'A run of this very manifest completed in the sandbox.',
  },
  {
    code: 'key',
    weight: 15,
    description: 'A service or standard key of the project is in force.',
  },
  { code: 'budget', weight: 15, description: 'An enabled policy of the project has a budget.' },
  {
    code: 'firewall',
    weight: 10,
    description: 'The firewall is at least as strict as the manifest asks for.',
  },
  {
    code: 'data_route',
    weight: 10,
    description: 'The data routes are no wider than the manifest allows.',
  },
  {
    code: 'models',
    weight: 10,
    description: 'The policies leave a model for the primary need, and another for the fallback.',
  },
  { code: 'balance', weight: 5, description: 'The account has funds.' },
  {
    code: 'tools',
    weight: 10,
    description: 'The tools of the manifest are registered with the verbs that it needs.',
  },
]);

/** A check of a deployment. */
export type DeployCheck = CodeOf<typeof DEPLOY_CHECKS>;
