import { Button, Modal, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { InstitutionRequest } from '../../api/generated/types.ts'
import { useChange, useRights } from '../../api/reads.ts'
import { UserText } from '../../parts/display/user-text.tsx'
import { SaveForm } from '../../parts/forms/save-form.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { catalogueTexts } from '../../texts/pages/operation.ts'

/** Answer to an institution request, or the button to give one. */
export function AnswerOf({ request }: { request: InstitutionRequest }) {
  const texts = useTexts(catalogueTexts)
  const { mayDevelop } = useRights()
  const [isOpen, dialog] = useDisclosure(false)
  const give = useChange<string>(
    (answer) => ({ method: 'PUT', path: `/normalized-data/institution-requests/${request.id}`, body: { answer } }),
    dialog.close,
  )
  if (request.state === 'answered') return <UserText most={300}>{request.answer}</UserText>
  if (!mayDevelop) return texts.open
  const title = texts.answerOne(request.name.slice(0, 80))
  return (
    <>
      <Button size="xs" variant="default" aria-label={title} onClick={dialog.open}>
        {texts.answer}
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={title}>
        <SaveForm change={give} onSave={(values) => give.mutate(String(values.get('answer')).trim())} onCancel={dialog.close}>
          <Textarea name="answer" label={texts.answer} description={texts.answerHint} maxLength={1000} required data-autofocus mb="sm" />
        </SaveForm>
      </Modal>
    </>
  )
}
