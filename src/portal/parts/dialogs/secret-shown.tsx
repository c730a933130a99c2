import { Button, Modal, Text } from '@mantine/core'
import { Copyable } from '../display/copy.tsx'
import { useFocusBack } from './dialog.ts'

interface SecretShownProps {
  secret: string
  title: string
  lead: string
  /** Label of the button. */
  kept: string
  onClose(): void
}

/** Dialog that shows a secret once; it closes only by its button. */
export function SecretShown({ secret, title, lead, kept, onClose }: SecretShownProps) {
  useFocusBack()
  return (
    <Modal opened onClose={onClose} title={title} closeOnClickOutside={false} closeOnEscape={false} withCloseButton={false}>
      <Text size="sm">{lead}</Text>
      <Copyable text={secret} />
      <Button mt="sm" onClick={onClose}>
        {kept}
      </Button>
    </Modal>
  )
}
