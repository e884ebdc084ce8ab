import { defineReference } from '../../records/references.js';
import { CONTEXT_DECISIONS, CONTEXT_RULES, TOKEN_SOURCES } from './vocabulary.js';

defineReference('context-policies.rule', CONTEXT_RULES.rows);
defineReference('context-policies.decision', CONTEXT_DECISIONS.rows);
defineReference('context-policies.token_source', TOKEN_SOURCES.rows);
