/** An e-mail of plain text. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Hands e-mails to the server of the operator. */
export interface Mailer {
  /** @throws Error when the server does not take it */
  send(mail: Mail): Promise<void>;
  /** Ends its connections. */
  close(): void;
}

/** How long the server may be silent, in milliseconds. */
const SILENCE_MS_MAX = 10_000;

/** What reaches this machine alone, and no network. */
const OF_THIS_MACHINE = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/**
 * A mailer over SMTP. An e-mail may carry a secret, so a server of another machine is spoken to
 * under TLS alone: from the begin (`smtps`), or from STARTTLS on.
 * @param url `smtp://` or `smtps://`, with the login of the gateway where the server asks for one
 */
export async function createMailer(url: string, from: string): Promise<Mailer> {
  // Loaded where it is used: most installations send none.
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname } = new URL(url);
  const transport = createTransport(
    {
      url,
      requireTLS: protocol === 'smtp:' && !OF_THIS_MACHINE.test(hostname),
      connectionTimeout: SILENCE_MS_MAX,
      greetingTimeout: SILENCE_MS_MAX,
      socketTimeout: SILENCE_MS_MAX,
      // A text is a text, and never the name of a file or an address to read.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from },
  );
  return {
    async send({ to, subject, text }) {
      await transport.sendMail({ to: { name: '', address: to }, subject, text });
    },
    close: () => transport.close(),
  };
}
