import { Button, Group, Modal, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import { callOperator, type Instance, OPERATOR_API, useOperatorChange, useOperatorRead } from '../api/operator.ts'
import type { Problem } from '../api/problem.ts'
import { PageAnswer } from '../parts/answers/answer.tsx'
import { ProblemBox } from '../parts/answers/problem-box.tsx'
import { Confirm } from '../parts/dialogs/confirm.tsx'
import { useFocusBack } from '../parts/dialogs/dialog.ts'
import { Facts } from '../parts/display/facts.tsx'
import { Mark } from '../parts/display/status.tsx'
import { Instant, UserText } from '../parts/display/user-text.tsx'
import { SaveForm } from '../parts/forms/save-form.tsx'
import { Page, Section } from '../parts/layout/page.tsx'
import { useTexts } from '../texts/language/language.tsx'
import { common } from '../texts/pages/common.ts'
import { operatorTexts } from '../texts/pages/operator.ts'
import { SignInOfInstance } from './instance-sign-in.tsx'
import { Quotas } from './quotas.tsx'

/** One instance: what it uses, what it may have, and what can be done with it. */
export function InstancePage() {
  const { instanceId = '' } = useParams()
  const instance = useOperatorRead<Instance>(`/instances/${instanceId}`)
  return <PageAnswer read={instance}>{(found) => <Found instance={found} />}</PageAnswer>
}

type Dialog = 'rename' | 'suspend' | 'erase' | 'reset' | null

function Found({ instance }: { instance: Instance }) {
  const texts = useTexts(operatorTexts)
  const [dialog, setDialog] = useState<Dialog>(null)
  const words = useTexts(common)
  const { id, name, kind, requiresTwoStep, suspension, createdOn } = instance
  return (
    <Page
      title={name}
      actions={
        <Button variant="default" onClick={() => setDialog('rename')}>
          {texts.rename}
        </Button>
      }
    >
      <Facts
        facts={[
          { name: texts.kind, value: texts.kinds[kind] },
          {
            name: texts.state,
            value: suspension ? (
              <>
                <Mark health="bad">{texts.suspended}</Mark> <Instant at={suspension.since} /> · <UserText>{suspension.reason}</UserText>
              </>
            ) : (
              <Mark health="good">{texts.active}</Mark>
            ),
          },
          { name: texts.twoStep, value: requiresTwoStep ? words.yes : words.no },
          { name: texts.created, value: <Instant at={createdOn} /> },
        ]}
      />
      <Quotas instanceId={id} />
      <SignInOfInstance instanceId={id} />
      <Acts instance={instance} onDialog={setDialog} />
      {dialog !== null && <ChangeDialog instance={instance} dialog={dialog} onClose={() => setDialog(null)} />}
    </Page>
  )
}

/** Suspension, export and erasure. */
function Acts({ instance: { id, suspension }, onDialog }: { instance: Instance; onDialog(dialog: Dialog): void }) {
  const texts = useTexts(operatorTexts)
  const resume = useOperatorChange<null>(() => ({ method: 'POST', path: `/instances/${id}/resume` }))
  // A link cannot ask for a proof: the page asks first.
  const download = useMutation<null, Problem>({
    mutationFn: () => callOperator('/session/proof'),
    // A refused download leaves the page in place, and the browser keeps a large one out of memory.
    onSuccess: () => Object.assign(document.createElement('a'), { href: `${OPERATOR_API}/instances/${id}/export`, download: '' }).click(),
  })
  return (
    <Section title={texts.acts}>
      <Text size="sm" mb="sm" maw={720}>
        {texts.actsLead}
      </Text>
      <Group>
        {suspension ? (
          <Confirm
            label={texts.resume}
            title={texts.resume}
            question={texts.resumeLead}
            isBusy={resume.isPending}
            problem={resume.error}
            onConfirm={(done) => resume.mutate(null, { onSuccess: done })}
          />
        ) : (
          <Button size="xs" variant="default" onClick={() => onDialog('suspend')}>
            {texts.suspend}
          </Button>
        )}
        <Button size="xs" variant="default" onClick={() => onDialog('reset')}>
          {texts.resetTwoStep}
        </Button>
        <Button size="xs" variant="default" loading={download.isPending} onClick={() => download.mutate()}>
          {texts.export}
        </Button>
        <Button size="xs" variant="default" className="danger" onClick={() => onDialog('erase')}>
          {texts.erase}
        </Button>
      </Group>
      {download.error && <ProblemBox problem={download.error} />}
    </Section>
  )
}

/** One field, and what it is for. */
function ChangeDialog({ instance, dialog, onClose }: { instance: Instance; dialog: Exclude<Dialog, null>; onClose(): void }) {
  const texts = useTexts(operatorTexts)
  const [, navigate] = useLocation()
  useFocusBack()
  const path = `/instances/${instance.id}`
  const change = useOperatorChange<string>(
    (value) => {
      if (dialog === 'reset') return { method: 'POST', path: `${path}/two-step-resets`, body: { email: value.trim() } }
      if (dialog === 'rename') return { method: 'PUT', path, body: { name: value } }
      return { method: 'POST', path: `${path}/${dialog}`, body: dialog === 'erase' ? { name: value } : { reason: value } }
    },
    () => (dialog === 'erase' ? navigate('/instances') : onClose()),
  )
  const words = {
    rename: { title: texts.rename, label: texts.rename, lead: texts.renameLead, field: texts.name },
    suspend: { title: texts.suspendOne(instance.name), label: texts.suspend, lead: texts.suspendLead, field: texts.reason },
    reset: { title: texts.resetTwoStep, label: texts.reset, lead: texts.resetTwoStepLead, field: texts.email },
    erase: { title: texts.eraseOne(instance.name), label: texts.erase, lead: texts.eraseLead, field: texts.nameAgain },
  }[dialog]
  return (
    <Modal opened onClose={onClose} title={words.title}>
      <SaveForm
        change={change}
        onSave={(values) => change.mutate(String(values.get('value')))}
        onCancel={onClose}
        label={words.label}
        isDangerous={dialog === 'erase'}
        lead={
          <Text size="sm" mb="sm" className="words">
            {words.lead}
          </Text>
        }
      >
        <TextInput
          name="value"
          type={dialog === 'reset' ? 'email' : 'text'}
          label={words.field}
          defaultValue={dialog === 'rename' ? instance.name : ''}
          required
          withAsterisk={false}
          maxLength={200}
          autoComplete="off"
          data-autofocus
        />
      </SaveForm>
    </Modal>
  )
}
