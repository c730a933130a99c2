import { Button, Modal, Text } from '@mantine/core'
import { Copyable } from '../../parts/copy.tsx'
import { useFocusBack } from '../../parts/dialog.ts'
import { useTexts } from '../../texts/language/language.tsx'
import { webhookTexts } from '../../texts/pages/webhooks.ts'

/** Dialog that shows a secret once; it closes only by its button. */
export function SecretShown({ secret, onClose }: { secret: string; onClose(): void }) {
  useFocusBack()
  const texts = useTexts(webhookTexts)
  return (
    <Modal opened onClose={onClose} title={texts.secretTitle} closeOnClickOutside={false} closeOnEscape={false} withCloseButton={false}>
      <Text size="sm">{texts.secretLead}</Text>
      <Copyable text={secret} />
      <Button mt="sm" onClick={onClose}>
        {texts.kept}
      </Button>
    </Modal>
  )
}
