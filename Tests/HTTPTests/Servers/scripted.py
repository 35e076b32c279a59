"""A loopback server that answers as no good server does; the path says how. Ends when its input does."""
import gzip, json, os, socket, struct, sys, threading, time
from urllib.parse import parse_qs, urlsplit

GOOD = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 13\r\n\r\n{"good":true}'


def receive(connection):
    data = b''
    while b'\r\n\r\n' not in data:
        piece = connection.recv(65536)
        if not piece:
            return None
        data += piece
    head, body = data.split(b'\r\n\r\n', 1)
    lines = head.decode('latin-1').split('\r\n')
    method, target = lines[0].split(' ')[:2]
    headers = {}
    for line in lines[1:]:
        name, value = line.split(':', 1)
        headers[name.strip().lower()] = value.strip()
    length = int(headers.get('content-length', 0))
    count = len(body)
    while count < length:
        piece = connection.recv(1 << 20)
        if not piece:
            break
        count += len(piece)
        body = body if count > 65536 else body + piece
    return method, target, headers, body if count <= 65536 else b'', count


def reply(status, body=b'', **headers):
    fields = ''.join(f'{name.replace("_", "-")}: {value}\r\n' for name, value in headers.items())
    return f'HTTP/1.1 {status} X\r\nContent-Length: {len(body)}\r\n{fields}\r\n'.encode() + body


def reset(connection):
    # Closing with unsent data and no waiting makes the kernel send a reset.
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    connection.close()


def flood(connection, head, byte_count):
    connection.sendall(head)
    piece = b'[' + b' ' * 65535
    sent = 0
    while sent < byte_count:
        connection.sendall(piece)
        sent += len(piece)
        # A little slower than memory: about a hundred megabytes a second.
        time.sleep(0.0006)


def answer(connection, port):
    request = receive(connection)
    if request is None:
        return
    method, target, headers, body, count = request
    parts = urlsplit(target)
    query = {key: values[0] for key, values in parse_qs(parts.query).items()}
    path = parts.path
    if path == '/echo':
        text = json.dumps({'method': method, 'target': target, 'headers': headers, 'count': count,
                           'body': body.decode('latin-1')}).encode()
        connection.sendall(reply(200, b'' if method == 'HEAD' else text, Content_Type='application/json'))
    elif path == '/status':
        extra = {'Retry_After': query['after']} if 'after' in query else {}
        connection.sendall(reply(int(query['status']), query.get('text', '').encode(), **extra))
    elif path == '/token':
        if headers.get('authorization') == query['good']:
            connection.sendall(GOOD)
        else:
            connection.sendall(reply(401, b'{"message":"who are you"}', WWW_Authenticate='Basic realm="here"'))
    elif path == '/redirect':
        connection.sendall(reply(int(query['status']), b'gone there', Location=query['to'].replace('PORT', str(port))))
    elif path == '/loop':
        connection.sendall(reply(302, Location='/loop'))
    elif path == '/loris':
        for index in range(len(GOOD)):
            connection.sendall(GOOD[index:index + 1])
            time.sleep(0.2)
    elif path == '/silent':
        connection.recv(1)
    elif path == '/truncated':
        connection.sendall(GOOD[:-5])
    elif path == '/short':
        connection.sendall(GOOD.replace(b'13', b'14'))
    elif path == '/long':
        connection.sendall(GOOD.replace(b'13', b'12'))
    elif path == '/chunks':
        head = b'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
        connection.sendall(head + b'5\r\n{"goo\r\n8\r\nd":true}\r\n' + (b'' if 'cut' in query else b'0\r\n\r\n'))
    elif path == '/gzip':
        packed = gzip.compress(b'{"good":true}')
        if 'cut' in query:
            packed = packed[:-9]
        connection.sendall(reply(200, packed, Content_Type='application/json', Content_Encoding='gzip'))
    elif path == '/bomb':
        connection.sendall(reply(200, gzip.compress(b'[' + b' ' * (64 << 20)), Content_Encoding='gzip'))
    elif path == '/html':
        connection.sendall(reply(200, b'<html><title>Please log in</title></html>', Content_Type='text/html'))
    elif path == '/empty':
        connection.sendall(reply(200))
    elif path == '/bytes':
        first, last = 0, int(query['count']) - 1
        piece = bytes(index % 251 for index in range(first, last + 1))
        connection.sendall(reply(int(query.get('status', 200)), piece))
    elif path == '/page':
        flood(connection, b'HTTP/1.1 200 OK\r\nContent-Length: 314572800\r\n\r\n', 300 << 20)
    elif path == '/endless':
        flood(connection, b'HTTP/1.1 200 OK\r\n\r\n', 1 << 40)
    elif path == '/reset':
        connection.sendall(GOOD[:int(query['at'])])
        # What was sent has to be there before the reset is.
        time.sleep(0.002)
        return reset(connection)
    else:
        connection.sendall(reply(404, b'{"error":"no such path"}'))
    connection.close()


def serve(connection, port):
    try:
        answer(connection, port)
    except OSError:
        pass
    finally:
        connection.close()


def main():
    listener = socket.socket()
    listener.bind(('127.0.0.1', 0))
    listener.listen(64)
    port = listener.getsockname()[1]
    print(port, flush=True)

    def accept():
        while True:
            connection, _ = listener.accept()
            threading.Thread(target=serve, args=(connection, port), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()
    os._exit(0)


main()
