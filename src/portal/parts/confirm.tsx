import { Button, type ButtonProps, Group, Modal, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { Problem } from '../api/problem.ts'
import { common } from '../texts/common.ts'
import { useTexts } from '../texts/language.tsx'
import { ProblemBox } from './problem-box.tsx'

interface ConfirmProps {
  label: string
  title: string
  /** What happens then, and whether it can be undone. */
  question: ReactNode
  isDangerous?: boolean
  isBusy: boolean
  problem: Problem | null
  onConfirm(done: () => void): void
  button?: Pick<ButtonProps, 'size' | 'variant' | 'disabled'>
}

/** A button that asks once more. */
export function Confirm({ label, title, question, isDangerous = false, isBusy, problem, onConfirm, button }: ConfirmProps) {
  const texts = useTexts(common)
  const [isOpen, setIsOpen] = useState(false)
  const close = () => setIsOpen(false)
  return (
    <>
      <Button size="xs" variant="default" {...button} className={isDangerous ? 'danger' : undefined} onClick={() => setIsOpen(true)}>
        {label}
      </Button>
      <Modal opened={isOpen} onClose={close} title={title}>
        <Text component="div" size="sm" mb="md">
          {question}
        </Text>
        {problem && <ProblemBox problem={problem} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={close} data-autofocus>
            {texts.cancel}
          </Button>
          <Button className={isDangerous ? 'danger-filled' : undefined} loading={isBusy} onClick={() => onConfirm(close)}>
            {label}
          </Button>
        </Group>
      </Modal>
    </>
  )
}
