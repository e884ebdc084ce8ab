-- Who was removed may join again, there or elsewhere: an e-mail is that of one active member.
CREATE UNIQUE INDEX app_user_active_email ON app_user (email) WHERE status = 'active';
CREATE INDEX app_user_email ON app_user (email);
DROP INDEX app_user_email_key;
