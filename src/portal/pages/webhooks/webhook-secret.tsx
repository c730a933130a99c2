import { SecretShown } from '../../parts/dialogs/secret-shown.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { webhookTexts } from '../../texts/pages/webhooks.ts'

/** The secret of an endpoint, shown once. */
export function WebhookSecret({ secret, onClose }: { secret: string; onClose(): void }) {
  const texts = useTexts(webhookTexts)
  return <SecretShown secret={secret} title={texts.secretTitle} lead={texts.secretLead} kept={texts.kept} onClose={onClose} />
}
