import { Button, Group, Modal, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import type { FormEvent } from 'react'
import type { InstitutionRequest } from '../../api/generated/types.ts'
import { useChange, useRights } from '../../api/reads.ts'
import { Fields } from '../../parts/fields.tsx'
import { ProblemBox } from '../../parts/problem-box.tsx'
import { Words } from '../../parts/words.tsx'
import { useTexts } from '../../texts/language/language.tsx'
import { common } from '../../texts/pages/common.ts'
import { catalogueTexts } from '../../texts/pages/operation.ts'

/** The answer to a request, or the way to give one. */
export function AnswerOf({ request }: { request: InstitutionRequest }) {
  const texts = useTexts(catalogueTexts)
  const words = useTexts(common)
  const { mayDevelop } = useRights()
  const [isOpen, dialog] = useDisclosure(false)
  const give = useChange<string>(
    (answer) => ({ method: 'PUT', path: `/normalized-data/institution-requests/${request.id}`, body: { answer } }),
    dialog.close,
  )
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    give.mutate(String(new FormData(event.currentTarget).get('answer')).trim())
  }
  if (request.state === 'answered') return <Words most={300}>{request.answer}</Words>
  if (!mayDevelop) return texts.open
  const title = texts.answerOne(request.name.slice(0, 80))
  return (
    <>
      <Button size="xs" variant="default" aria-label={title} onClick={dialog.open}>
        {texts.answer}
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={title}>
        <form onSubmit={submit}>
          <Fields isSending={give.isPending}>
            <Textarea name="answer" label={texts.answer} description={texts.answerHint} maxLength={1000} required data-autofocus mb="sm" />
          </Fields>
          {give.error && <ProblemBox problem={give.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={dialog.close}>
              {words.cancel}
            </Button>
            <Button type="submit" loading={give.isPending}>
              {words.save}
            </Button>
          </Group>
        </form>
      </Modal>
    </>
  )
}
