-- The least class of the data of requests, as keys, workspaces and versions of prompts state it. A
-- project states it in the rules of its policies. Null states none.
ALTER TABLE key_limits ADD COLUMN data_class_min TEXT
  CHECK (data_class_min IN ('C0', 'C1', 'C2', 'C3', 'C4'));
ALTER TABLE workspace ADD COLUMN data_class_min TEXT
  CHECK (data_class_min IN ('C0', 'C1', 'C2', 'C3', 'C4'));
ALTER TABLE prompt_version ADD COLUMN data_class_min TEXT
  CHECK (data_class_min IN ('C0', 'C1', 'C2', 'C3', 'C4'));

-- A version of a prompt decides about routes too, so a request that is filled by one holds its funds
-- under the stage in which the version stands. Nothing remembers a draft before it exists.
CALL confirm_by_hold('prompt_stage', $$NEW.status <> 'draft'$$);
