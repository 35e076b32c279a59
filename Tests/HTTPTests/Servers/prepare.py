"""Makes a virtual environment with packages, once: prepare.py FOLDER LIST prints its interpreter.

Exit status 3, with the reason, when the packages cannot be had.
"""
import fcntl, os, shutil, subprocess, sys, venv

folder, packages = os.path.abspath(sys.argv[1]), open(sys.argv[2]).read().split()
os.makedirs(os.path.dirname(folder), exist_ok=True)
with open(folder + '.lock', 'w') as lock:
    # Several tests, and several runs of them, may want it at once.
    fcntl.flock(lock, fcntl.LOCK_EX)
    marker, python = os.path.join(folder, 'packages'), os.path.join(folder, 'bin', 'python')
    done = os.path.exists(marker) and open(marker).read() == '\n'.join(packages)
    if not done:
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        pip = [python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--timeout', '20',
               '--retries', '1', *packages]
        try:
            result = subprocess.run(pip, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240)
            problem = result.stdout[-300:] if result.returncode else None
        except subprocess.TimeoutExpired:
            problem = 'no end in sight'
        if problem is not None:
            print('not to be had:', ' '.join(packages), problem.replace('\n', ' '))
            sys.exit(3)
        with open(marker, 'w') as file:
            file.write('\n'.join(packages))
    print(python)
