;; Emacs with eglot asks a language server through lastword.
;;
;;     emacs -l init.el fetcher.py

(require 'eglot)

(add-to-list 'eglot-server-programs
             '(python-mode . ("lastword" "wrap" "--" "pylsp")))

(add-hook 'python-mode-hook #'eglot-ensure)
