-- A link that somebody asks for by e-mail takes the place of another such one alone: who knows an
-- address could end the link that an owner had issued, as often as they liked.
DROP INDEX password_reset_open;
CREATE UNIQUE INDEX password_reset_open ON password_reset (user_id, (issued_by IS NULL))
  WHERE used_at IS NULL AND replaced_at IS NULL;
