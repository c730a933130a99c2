import { Button, NativeSelect, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useId } from 'react'
import { call, withQuery } from '../../api/client.ts'
import type { SendConnectionLinkResponse } from '../../api/generated/types.ts'
import type { Problem } from '../../api/problem.ts'
import { onSubmit } from '../../parts/forms/save-form.tsx'
import { useLanguage, useTexts } from '../../texts/language/language.tsx'
import { inboxTexts } from '../../texts/pages/inbox.ts'
import { mailTexts } from '../../texts/pages/mail.ts'
import { Queued } from './queued.tsx'

interface SendLinkProps {
  companyId: string
  serviceId: string
  /** Options of the link. */
  choice?: Record<string, string | number | undefined>
}

interface LinkMail {
  to: string
  language: string
  note?: string
}

/** Creates a new link and mails it to the owner. */
export function SendLink({ companyId, serviceId, choice = {} }: SendLinkProps) {
  const texts = useTexts(mailTexts)
  const words = useTexts(inboxTexts)
  const { language } = useLanguage()
  const title = useId()
  const path = `/normalized-data/company/${companyId}/data-connection/${serviceId}/link-mail`
  const send = useMutation<SendConnectionLinkResponse, Problem, LinkMail>({
    mutationFn: (body) => call<SendConnectionLinkResponse>(withQuery(path, choice), { method: 'POST', body }),
  })
  const submit = (given: FormData) => {
    const note = String(given.get('note')).trim()
    send.mutate({ to: String(given.get('to')).trim(), language: String(given.get('language')), ...(note === '' ? {} : { note }) })
  }
  return (
    <form onSubmit={onSubmit(submit)} onChange={() => send.isSuccess && send.reset()} className="card" aria-labelledby={title}>
      <Text fw={600} size="sm" id={title}>
        {texts.send}
      </Text>
      <TextInput name="to" type="email" label={texts.address} required withAsterisk={false} autoComplete="off" size="xs" maxLength={254} />
      <NativeSelect
        name="language"
        label={texts.language}
        size="xs"
        defaultValue={language}
        data={[
          { value: 'en', label: words.english },
          { value: 'fr', label: words.french },
        ]}
      />
      <Textarea name="note" label={texts.note} description={texts.noteHint} size="xs" maxLength={500} autosize={false} rows={3} />
      <Button type="submit" size="xs" mt="xs" loading={send.isPending}>
        {texts.sending}
      </Button>
      <Queued sending={send} />
    </form>
  )
}
