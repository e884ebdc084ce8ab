-- An organization may say that members alone change limits: those of keys, budgets and policies.
ALTER TABLE tenant ADD COLUMN limits_by_members boolean NOT NULL DEFAULT false;
